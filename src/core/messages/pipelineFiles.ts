/** What is wrong with a pipeline's file, and what to write instead. Names out of the file are quoted made plain; nothing else of it is. */
export const pipelineFiles = {
  // Its text.
  'pipelineFile.unreadable': 'The file cannot be read ({code}). Look at its permissions.',
  'pipelineFile.noFile': 'This is no regular file. Put a file with the pipeline here.',
  'pipelineFile.notUtf8': 'The file is not in UTF-8. Save it with that encoding.',
  'pipelineFile.empty': 'The file is empty. Begin with one of the templates: Holdfast: New Pipeline.',
  'pipelineFile.tooLong': 'The file is longer than {most} characters. Split it into several pipelines.',
  'pipelineFile.tooDeep': 'Values are nested deeper than {levels} levels. Make them flatter.',
  'pipelineFile.duplicateKey': 'There is a “{name}” here already. Rename or remove one of the two.',
  'pipelineFile.protoKey': 'The key __proto__ cannot be used. Take another one.',
  'pipelineFile.numberTooLarge': 'The number is too large. Write it as a text.',
  'pipelineFile.surrogate': 'The text holds half of a surrogate pair, which has no UTF-8 form. Take it out.',
  'pipelineFile.syntax.symbol': 'This is no JSON value. Put texts into double quotes.',
  'pipelineFile.syntax.number': 'This is no number as JSON writes it. Correct it, or put it into double quotes.',
  'pipelineFile.syntax.key': 'A key in double quotes must stand here.',
  'pipelineFile.syntax.value': 'A value is missing here.',
  'pipelineFile.syntax.colon': 'Put a colon between key and value.',
  'pipelineFile.syntax.comma': 'Put a comma before this.',
  'pipelineFile.syntax.brace': 'An object is not closed. Add a closing brace where it ends.',
  'pipelineFile.syntax.bracket': 'A list is not closed. Add a closing bracket where it ends.',
  'pipelineFile.syntax.end': 'The pipeline ends before this. Remove what follows.',
  'pipelineFile.syntax.comment': 'A comment is not closed. Add */ where it ends.',
  'pipelineFile.syntax.string':
    'A text is not closed. Add a double quote where it ends; write a line end inside as \\n.',
  'pipelineFile.syntax.escape': 'After \\ stands what JSON does not know. Write \\\\ for a backslash.',
  'pipelineFile.syntax.character': 'A text holds a control character. Write it as \\n, \\t or \\u….',
  'pipelineFile.syntax.other': 'This is no JSON. Correct or remove it.',

  // Its shape.
  'pipelineFile.missing': 'Add “{name}”, which is missing here.',
  'pipelineFile.unknownName': 'Nothing here is called “{name}”. Correct its spelling or remove it.',
  'pipelineFile.invalid': '“{name}” is not what must stand here. Choose from what completion offers.',
  'pipelineFile.oneOf': '“{name}” must be one of these: {values}.',
  'pipelineFile.typeInBody':
    '“{name}” of a node in a body must be one of these: {values}. A foreach has no place in another one.',
  'pipelineFile.when': '“when” must be "always", "on_success", "on_failure" or an object with “on_answer”.',
  'pipelineFile.type.text': '“{name}” must be a text in double quotes.',
  'pipelineFile.type.wholeNumber': '“{name}” must be a whole number.',
  'pipelineFile.type.number': '“{name}” must be a number.',
  'pipelineFile.type.boolean': '“{name}” must be true or false.',
  'pipelineFile.type.list': '“{name}” must be a list in square brackets.',
  'pipelineFile.type.object': '“{name}” must be an object in braces.',
  'pipelineFile.emptyText': '“{name}” must not be empty.',
  'pipelineFile.emptyList': '“{name}” must have an item.',
  'pipelineFile.longText': '“{name}” may have {most} characters at most.',
  'pipelineFile.longList': '“{name}” may have {most} items at most.',
  'pipelineFile.atLeast': '“{name}” must be {least} or more.',
  'pipelineFile.atMost': '“{name}” must be {most} or less.',
  'pipelineFile.key': 'A key begins with a letter and holds letters, digits, _ and -, 64 at most.',
  'pipelineFile.notAKey': '“{name}” must be the key of a node: letters, digits, _ and -, a letter first.',

  // Its nodes.
  'pipelineFile.keyTwice': 'Another node is called “{node}” too. Keys must differ in the whole file, bodies included.',
  'pipelineFile.unknownTool':
    'There is no tool {tool}. Correct “server” and “tool”; Holdfast: Manage Permissions lists all tools.',
  'pipelineFile.toolTwice': '{tool} is in the list already. Remove one of the two.',
  'pipelineFile.choiceTwice': '“{choice}” is among the choices already. Rename or remove one of the two.',
  'pipelineFile.nobodyToAsk':
    'This pipeline runs without a person ("attended": false), so nobody can be asked. Remove the human node, or let the pipeline be attended.',
  'pipelineFile.referenceInCommand':
    'In a command line the shell would read what a reference stands for as part of the command. Send “argv” instead: each reference then stays one argument.',
  'pipelineFile.background':
    'A node ends with its command, so the command cannot run in the background. Remove “background”.',

  // Its ways.
  'pipelineFile.unknownNode':
    'There is no node “{node}” here. Name a node of the same graph; no edge leads into a body or out of it.',
  'pipelineFile.edge.noChoices':
    'Only the answer to a choice can be followed, and “{node}” is no human node with “choices”.',
  'pipelineFile.edge.unknownAnswer': '“{answer}” is none of the choices of “{node}”. These are: {choices}.',
  'pipelineFile.edge.twice': 'The same edge from “{from}” to “{to}” stands here already. Remove one of the two.',
  'pipelineFile.edge.boundWithoutBack':
    'Only an edge that leads back is bounded. Add "back": true, or remove “maxTraversals”.',
  'pipelineFile.edge.rival':
    'From “{from}” the edge to “{other}” is always taken before this one to “{to}”. Let them follow different endings; before another edge may only stand one with "back": true.',
  'pipelineFile.edge.notBack':
    'No way leads from “{to}” to “{from}” without this edge, so it does not lead back. Remove “back”.',
  'pipelineFile.cycle': 'This way never ends: {cycle}. Mark the edge that leads back with "back": true.',
  'pipelineFile.unreachable': 'No way leads from “{start}” to “{node}”. Add an edge to it, or remove it.',

  // Its templates.
  'pipelineFile.template.open':
    'Nothing closes this {open}, or there are braces inside. Write {open}{open} for two braces as they are.',
  'pipelineFile.template.form':
    '“{written}” is no reference. Write inputs.…, nodes.….…, item or index between the braces, or {open}{open} for two braces as they are.',
  'pipelineFile.reference.unknownInput':
    'There is no input for {reference}. Declare it under “inputs”, or correct the name.',
  'pipelineFile.reference.unknownNode': 'There is no node for {reference}. Correct the key.',
  'pipelineFile.reference.unknownField': 'There is no {reference}. There are: {fields}.',
  'pipelineFile.reference.noPart': '{reference} stands for no object and no list, so it has no parts. Shorten it.',
  'pipelineFile.reference.noItem':
    '{reference} means the current item, and this node is in no body of a foreach. Move it there, or refer to something else.',
  'pipelineFile.reference.inBody':
    '{reference} is in the body of “{foreach}”, where each item has its own. Refer to nodes.{foreach}.items instead.',
  'pipelineFile.reference.never':
    '“{node}” never ends before this is read, so there is no {reference}. Refer to a node that does.',
  'pipelineFile.reference.notSure':
    'Not every way here leads past “{node}”. Write {reference}? for nothing where it has not ended, or refer to a node that has.',
  'pipelineFile.over.noList':
    '“over” must be one single reference to a list, such as nodes.….lines, nodes.….json or an input of the type list.',

  // What a run finds out about its templates.
  'pipelineFile.template.missing': 'There is no {reference}.',
  'pipelineFile.template.null': '{reference} holds nothing that could stand in a text.',
  'pipelineFile.template.notJson': 'What {reference} is to be read from is no JSON, or is nested too deep.',

  // What has changed since a run was walked.
  'pipelineChange.input.notGiven': 'The input “{name}” is new; the run was not given one.',
  'pipelineChange.input.added': 'The input “{name}” is new; its default is taken.',
  'pipelineChange.input.type': 'The input “{name}” was of the type {before} and is of the type {now}.',
  'pipelineChange.input.removed': 'The input “{name}” is gone.',
  'pipelineChange.node.removed': 'The node “{node}” is gone.',
  'pipelineChange.node.moved': 'The node “{node}” is in another graph: it was moved into a body or out of it.',
  'pipelineChange.node.type': 'The node “{node}” was of the type {before} and is of the type {now}.',
  'pipelineChange.node.tool': 'The node “{node}” called {before} and calls {now}.',
  'pipelineChange.node.changed': 'The node “{node}” was changed.',
  'pipelineChange.node.added': 'The node “{node}” is new.',
  'pipelineChange.order': 'Every way to “{at}” now leads past “{node}”, which has not ended in this run.',
  'pipelineChange.edges': 'The edges from “{node}” were changed.',
  'pipelineChange.attended': 'A person may be asked now.',
  'pipelineChange.unattended': 'No person may be asked now.',
  'pipelineChange.limits': 'The limits of the run were changed.',

  // What a run is given.
  'pipelineInput.unknown': 'This pipeline has no input “{name}”. Leave it out.',
  'pipelineInput.missing': 'The input “{name}” is missing. Give one.',
  'pipelineInput.text': 'The input “{name}” must be a text.',
  'pipelineInput.number': 'The input “{name}” must be a number.',
  'pipelineInput.boolean': 'The input “{name}” must be true or false.',
  'pipelineInput.list': 'The input “{name}” must be a list of texts.',
} as const;

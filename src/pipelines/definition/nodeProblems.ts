import { text, type Text } from '../../core/messages.ts';
import { plainText } from '../../core/plainText.ts';
import { toolLabel, type ToolIdentity } from '../../core/tool.ts';
import type { NodeOutline } from './outline.ts';
import type { Problem } from './problem.ts';
import type { StepSource } from './schema.ts';
import type { Path, Source } from './source.ts';
import { parseTemplate } from './template.ts';

/**
 * Whether there is such a tool; undefined where nobody knows before its server is asked. What nobody knows is no problem of the file: the call is
 * then answered by the bridge.
 */
export type KnownTools = (tool: ToolIdentity) => boolean | undefined;

/** Holdfast's command tool, of which a pipeline knows two things that no schema says. */
const COMMANDS: ToolIdentity = { server: 'holdfast', name: 'runCommand' };

/** What is wrong with a node by itself. */
export function nodeProblems(
  { path, source: node }: NodeOutline,
  source: Source,
  attended: boolean,
  isKnown: KnownTools,
): readonly Problem[] {
  const at = (where: Path, problem: Text): Problem => ({ range: source.rangeOf([...path, ...where]), text: problem });
  switch (node?.type) {
    case 'tool': {
      const tool = { server: node.server, name: node.tool };
      const unknown = isKnown(tool) === false ? [at(['tool'], unknownTool(tool))] : [];
      return [...unknown, ...commandProblems(node, tool).map(([where, problem]) => at(where, problem))];
    }
    case 'agent':
      return node.tools.flatMap(({ server, tool: name }, index) => {
        const tool = { server, name };
        const twice = node.tools.findIndex((other) => other.server === server && other.tool === name) < index;
        return [
          ...(isKnown(tool) === false ? [at(['tools', index, 'tool'], unknownTool(tool))] : []),
          ...(twice ? [at(['tools', index], text('pipelineFile.toolTwice', { tool: labelOf(tool) }))] : []),
        ];
      });
    case 'human': {
      const choices = node.choices ?? [];
      const twice = choices.flatMap((choice, index) => (choices.indexOf(choice) < index ? [index] : []));
      return [
        ...(attended ? [] : [at(['type'], text('pipelineFile.nobodyToAsk'))]),
        ...twice.map((index) =>
          at(['choices', index], text('pipelineFile.choiceTwice', { choice: plainText(choices[index] ?? '') })),
        ),
      ];
    }
    case 'foreach':
    case undefined:
      return [];
  }
}

/**
 * A value in a command line would be read as shell text: a file name, or what a model wrote, could become another command. And a command in the
 * background has no end for an edge to follow.
 */
function commandProblems(
  node: Extract<StepSource, { type: 'tool' }>,
  tool: ToolIdentity,
): readonly (readonly [Path, Text])[] {
  if (tool.server !== COMMANDS.server || tool.name !== COMMANDS.name) {
    return [];
  }
  const { command, background } = node.arguments;
  const hasReference =
    typeof command === 'string' && parseTemplate(command).parts.some((part) => typeof part === 'object');
  return [
    ...(hasReference ? [[['arguments', 'command'], text('pipelineFile.referenceInCommand')] as const] : []),
    ...(background === undefined || background === false
      ? []
      : [[['arguments', 'background'], text('pipelineFile.background')] as const]),
  ];
}

function unknownTool(tool: ToolIdentity): Text {
  return text('pipelineFile.unknownTool', { tool: labelOf(tool) });
}

function labelOf(tool: ToolIdentity): string {
  return plainText(toolLabel(tool));
}

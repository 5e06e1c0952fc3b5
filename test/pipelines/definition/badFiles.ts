/**
 * Files that the loader must refuse. Where a line ends in `// ✗ …`, a problem must be reported on that line whose sentence begins so; several
 * are parted by ` ✗ `. Nothing else may be reported.
 */
export const badFiles: Readonly<Record<string, string>> = {
  // The text.
  'a comma is missing': `{
  "name": "Release"
  "start": "build", // ✗ Put a comma before this
  "nodes": { "build": { "type": "human", "question": "Build?" } }
}`,
  'several mistakes of spelling in the text': `{
  "name" "Release", // ✗ Put a colon between
  "start": bulid, // ✗ This is no JSON value
  "nodes": { "build": { "type": "human", "question": "a\\q" } } // ✗ After \\ stands what JSON does not know
}`,
  'an object is not closed': `{
  "name": "Release",
  "start": "build",
  "nodes": { "build": { "type": "human", "question": "Build?" } // ✗ An object is not closed`,
  'something follows': `{ "name": "Release", "start": "build", "nodes": { "build": { "type": "human", "question": "Build?" } } }
{ } // ✗ The pipeline ends before this
`,
  'keys stand there twice, or are no keys': `{
  "name": "Release",
  "name": "Once more", // ✗ There is a “name” here already
  "start": "build",
  "nodes": {
    "build": { "type": "human", "question": "Build?" },
    "__proto__": { "type": "human", "question": "?" } // ✗ The key __proto__ cannot be used
  }
}`,
  'values that no record can hold': `{
  "name": "half \\ud800", // ✗ The text holds half of a surrogate pair
  "start": "build",
  "nodes": { "build": { "type": "human", "question": "Build?" } },
  "limits": { "maxMinutes": 1e999 } // ✗ The number is too large
}`,

  // The shape.
  'it is no object': `[] // ✗ “pipeline” must be an object`,
  'everything is missing': `{} // ✗ Add “name” ✗ Add “start” ✗ Add “nodes”`,
  'names and types are wrong': `{
  "name": "", // ✗ “name” must not be empty
  "descripton": "What it is for", // ✗ Nothing here is called “descripton”
  "attended": "yes", // ✗ “attended” must be true or false
  "limits": {
    "maxNodeEntries": 0, // ✗ “maxNodeEntries” must be 1 or more
    "maxMinutes": 1000000 // ✗ “maxMinutes” must be 10080 or less
  },
  "inputs": {
    "version": { "type": "string" }, // ✗ “type” must be one of these: text, number, boolean, list
    "count": { "type": "number", "default": "3" } // ✗ “default” must be a number
  },
  "start": "build",
  "nodes": {
    "build": { "type": "tool", "server": "holdfast" }, // ✗ Add “tool”
    "2nd": { "type": "human", "question": "?" }, // ✗ A key begins with a letter
    "ask": { "type": "humen", "question": "?" }, // ✗ “type” must be one of these: tool, agent, human, foreach
    "think": { "type": "agent", "prompt": "?", "maxRounds": 1.5 }, // ✗ “maxRounds” must be a whole number
    "name": { "type": "human", "question": ["?"] } // ✗ “question” must be a text
  },
  "edges": { "build": "ask" } // ✗ “edges” must be a list
}`,
  'edges of the wrong shape': `{
  "name": "Release",
  "start": "build",
  "nodes": {
    "build": { "type": "human", "question": "Build?" },
    "ship": { "type": "human", "question": "Ship?" }
  },
  "edges": [
    { "from": "build", "to": "ship", "when": "on_sucess" }, // ✗ “when” must be
    { "from": "build", "to": "ship", "when": { "on_answer": [] } }, // ✗ “on_answer” must have an item
    { "from": "build" }, // ✗ Add “to”
    { "from": "build it", "to": "ship" } // ✗ “from” must be the key of a node
  ]
}`,
  'a foreach without a bound, and one inside another': `{
  "name": "Release",
  "start": "each",
  "inputs": { "files": { "type": "list" } },
  "nodes": {
    "each": { // ✗ Add “maxItems”
      "type": "foreach",
      "over": "{{inputs.files}}",
      "body": {
        "start": "inner",
        "nodes": {
          "inner": { "type": "foreach" } // ✗ “type” of a node in a body must be
        }
      }
    }
  }
}`,

  // The graph.
  'edges and start lead nowhere': `{
  "name": "Release",
  "start": "biuld", // ✗ There is no node “biuld” here
  "nodes": {
    "build": { "type": "human", "question": "Build?", "choices": ["yes", "no"] },
    "ship": { "type": "human", "question": "Ship?" }
  },
  "edges": [
    { "from": "build", "to": "shop" }, // ✗ There is no node “shop” here
    { "from": "ship", "to": "build", "when": { "on_answer": "yes" } }, // ✗ Only the answer to a choice can be followed
    { "from": "build", "to": "ship", "when": { "on_answer": ["yes", "maybe"] } } // ✗ “maybe” is none of the choices of “build” ✗ From “build” the edge to “shop” is always taken before
  ]
}`,
  'nodes that no way leads to, also in a body': `{
  "name": "Release",
  "start": "each",
  "inputs": { "files": { "type": "list" } },
  "nodes": {
    "each": {
      "type": "foreach",
      "over": "{{inputs.files}}",
      "maxItems": 3,
      "body": {
        "start": "look",
        "nodes": {
          "look": { "type": "human", "question": "{{item}}?" },
          "write": { "type": "human", "question": "{{item}}!" } // ✗ No way leads from “look” to “write”
        }
      }
    },
    "lost": { "type": "human", "question": "?" }, // ✗ No way leads from “each” to “lost”
    "away": { "type": "human", "question": "?" } // ✗ No way leads from “each” to “away”
  },
  "edges": [
    { "from": "lost", "to": "away" }
  ]
}`,
  'a way without an end': `{
  "name": "Release",
  "start": "build",
  "nodes": {
    "build": { "type": "human", "question": "Build?" },
    "test": { "type": "human", "question": "Test?" },
    "fix": { "type": "human", "question": "Fix?" }
  },
  "edges": [
    { "from": "build", "to": "test" },
    { "from": "test", "to": "fix", "when": "on_failure" },
    { "from": "fix", "to": "test" } // ✗ This way never ends: test → fix → test. Mark the edge that leads back with "back": true.
  ]
}`,
  'an edge that marks itself as leading back, and does not': `{
  "name": "Release",
  "start": "build",
  "nodes": {
    "build": { "type": "human", "question": "Build?" },
    "test": { "type": "human", "question": "Test?" }
  },
  "edges": [
    { "from": "build", "to": "test", "when": "on_success" },
    { "from": "build", "to": "test", "when": "on_failure", "back": true } // ✗ No way leads from “test” to “build” without this edge
  ]
}`,
  'edges that get in each other’s way': `{
  "name": "Release",
  "start": "build",
  "nodes": {
    "build": { "type": "human", "question": "Build?", "choices": ["yes", "no"] },
    "test": { "type": "human", "question": "Test?" },
    "fix": { "type": "human", "question": "Fix?" }
  },
  "edges": [
    { "from": "build", "to": "test", "when": "on_success" },
    { "from": "build", "to": "fix", "when": { "on_answer": "no" } }, // ✗ From “build” the edge to “test” is always taken before this one to “fix”
    { "from": "test", "to": "fix" },
    { "from": "test", "to": "build", "when": "on_failure", "back": true }, // ✗ From “test” the edge to “fix” is always taken before this one to “build”
    { "from": "test", "to": "fix", "maxTraversals": 2 } // ✗ The same edge ✗ From “test” the edge ✗ Only an edge that leads back is bounded
  ]
}`,
  'a key that two graphs have': `{
  "name": "Release",
  "start": "build",
  "inputs": { "files": { "type": "list" } },
  "nodes": {
    "build": { "type": "human", "question": "Build?" },
    "each": {
      "type": "foreach",
      "over": "{{inputs.files}}",
      "maxItems": 3,
      "body": {
        "start": "build",
        "nodes": {
          "build": { "type": "human", "question": "{{item}}?" } // ✗ Another node is called “build” too
        },
        "edges": [{ "from": "build", "to": "each" }] // ✗ There is no node “each” here
      }
    }
  },
  "edges": [{ "from": "build", "to": "each" }]
}`,

  // The nodes.
  'tools that do not exist, in nodes and allow-lists': `{
  "name": "Release",
  "start": "build",
  "nodes": {
    "build": { "type": "tool", "server": "holdfast", "tool": "runComand" }, // ✗ There is no tool holdfast.runComand
    "think": {
      "type": "agent",
      "prompt": "Think.",
      "tools": [
        { "server": "holdfast", "tool": "runCommand" },
        { "server": "holdfast", "tool": "rm" }, // ✗ There is no tool holdfast.rm
        { "server": "not-started", "tool": "whatever" },
        { "server": "holdfast", "tool": "runCommand" } // ✗ holdfast.runCommand is in the list already
      ]
    }
  },
  "edges": [{ "from": "build", "to": "think" }]
}`,
  'commands that a value could change, or that never end': `{
  "name": "Release",
  "start": "build",
  "inputs": { "branch": { "type": "text" } },
  "nodes": {
    "build": {
      "type": "tool",
      "server": "holdfast",
      "tool": "runCommand",
      "arguments": {
        "command": "git checkout {{inputs.branch}}", // ✗ In a command line the shell would read
        "background": true // ✗ A node ends with its command
      }
    }
  }
}`,
  'a question that nobody hears': `{
  "name": "Release",
  "attended": false,
  "start": "ask",
  "nodes": {
    "ask": {
      "type": "human", // ✗ This pipeline runs without a person
      "question": "Ship?",
      "choices": ["yes", "no", "yes"] // ✗ “yes” is among the choices already
    }
  }
}`,

  // The templates.
  'references to nothing': `{
  "name": "Release",
  "start": "build",
  "inputs": { "version": { "type": "text" } },
  "nodes": {
    "build": {
      "type": "tool",
      "server": "notes",
      "tool": "write",
      "arguments": {
        "a": "{{inputs.versoin}}", // ✗ There is no input for inputs.versoin
        "b": ["{{inputs.version.major}}"], // ✗ inputs.version.major stands for no object
        "c": { "d": "{{nodes.bild.output}} and {{item}}" }, // ✗ There is no node for nodes.bild.output ✗ item means the current item
        "e": "{{version}} {{ 1 + 1 }}", // ✗ “version” is no reference ✗ “1 + 1” is no reference
        "f": "docker ps --format {{.Names}", // ✗ Nothing closes this {{
        "g": "docker ps --format {{{{.Names}}"
      }
    },
    "ask": { "type": "human", "question": "{{nodes.build.stdout}}?" } // ✗ There is no nodes.build.stdout. There are: nodes.build.output
  },
  "edges": [{ "from": "build", "to": "ask" }]
}`,
  'references to what has not run': `{
  "name": "Release",
  "start": "test",
  "nodes": {
    "test": { "type": "agent", "prompt": "Test. {{nodes.fix.text?}} {{nodes.ship.answer?}}" }, // ✗ “ship” never ends before this is read
    "fix": { "type": "agent", "prompt": "Fix {{nodes.test.text}} {{nodes.fix.text}}" }, // ✗ Not every way here leads past “fix”
    "ship": { "type": "human", "question": "{{nodes.fix.text}}: ship?" } // ✗ Not every way here leads past “fix”
  },
  "edges": [
    { "from": "test", "to": "fix", "when": "on_failure" },
    { "from": "fix", "to": "test", "back": true },
    { "from": "test", "to": "ship", "when": "on_success" }
  ]
}`,
  'references into a body, and lists that are none': `{
  "name": "Release",
  "start": "each",
  "inputs": { "version": { "type": "text" } },
  "nodes": {
    "each": {
      "type": "foreach",
      "over": "{{inputs.version}}", // ✗ “over” must be one single reference to a list
      "maxItems": 3,
      "body": {
        "start": "look",
        "nodes": {
          "look": { "type": "human", "question": "{{item.name}} {{index.x}} {{nodes.each.items}}?" } // ✗ index.x stands for no object ✗ “each” never ends before
        }
      }
    },
    "again": {
      "type": "foreach",
      "over": "all {{nodes.each.items}}", // ✗ “over” must be one single reference to a list
      "maxItems": 3,
      "body": {
        "start": "see",
        "nodes": {
          "see": { "type": "human", "question": "{{nodes.look.answer}}?" } // ✗ nodes.look.answer is in the body of “each”
        }
      }
    }
  },
  "edges": [{ "from": "each", "to": "again" }]
}`,

  // One mistake hides no other, and makes none up.
  'mistakes of every kind at once': `{
  "name": "Release",
  "titel": "Release", // ✗ Nothing here is called “titel”
  "start": "build",
  "nodes": {
    "build": { "type": "tool", "server": "holdfast", "tool": "no" }, // ✗ There is no tool holdfast.no
    "ship": { "type": "human" }, // ✗ Add “question”
    "ask": { "type": "human", "question": "{{nodes.ship.answer}} {{nodes.gone.answer}}" } // ✗ There is no node for nodes.gone.answer
  },
  "edges": [
    { "from": "build", "to": "ship" },
    { "from": "ship", "to": "nowhere" } // ✗ There is no node “nowhere” here
  ]
}`,
};

/** One call that the prompt asks for. */
export interface ScriptedCall {
  readonly tool: RegExp;
  readonly input: object;
}

/** What the model does next. */
export type Turn =
  | { readonly kind: 'call'; readonly tool: string; readonly input: object }
  | { readonly kind: 'say'; readonly text: string };

/**
 * The calls in a prompt, in their order: `CALL <toolRegex> {json}`, one a line or several in a row. The JSON object
 * ends where its braces balance.
 */
export function parseScript(prompt: string): ScriptedCall[] {
  const calls: ScriptedCall[] = [];
  for (const match of prompt.matchAll(/CALL (\S+) (?=\{)/g)) {
    const json = balanced(prompt.slice(match.index + match[0].length));
    if (json !== undefined) calls.push({ tool: new RegExp(match[1]!), input: JSON.parse(json) as object });
  }
  return calls;
}

/**
 * The model's next turn: the calls one after the other, each after the result of the one before; then `DONE` with the
 * text of the last result.
 */
export function nextTurn(prompt: string, results: readonly string[], tools: readonly string[]): Turn {
  const call = parseScript(prompt)[results.length];
  if (!call) return { kind: 'say', text: results.length > 0 ? `DONE ${results.at(-1)!}` : 'Nothing to call.' };
  const tool = tools.find((name) => call.tool.test(name));
  if (tool === undefined) return { kind: 'say', text: `NO TOOL ${call.tool.source} among ${tools.length}` };
  return { kind: 'call', tool, input: call.input };
}

function balanced(text: string): string | undefined {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (quoted && char === '\\') index += 1;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && char === '{') depth += 1;
    else if (!quoted && char === '}' && --depth === 0) return text.slice(0, index + 1);
  }
  return undefined;
}

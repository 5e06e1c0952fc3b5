import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { Buffer } from 'node:buffer';
import type { Say } from '../../core/messages.ts';
import { MAX_OUTPUT_BYTES, OutputBuffer, type KeptOutput } from '../shell/output.ts';

/** A result as text for the agent, in bounded length. What is no text is named. */
export function resultText({ content, structuredContent }: CallToolResult, say: Say): KeptOutput {
  const parts = content.map((block) => {
    switch (block.type) {
      case 'text':
        return block.text;
      case 'image':
      case 'audio':
        return say('mcp.result.binary', { kind: block.type, type: block.mimeType });
      case 'resource_link':
        return say('mcp.result.link', { uri: block.uri });
      case 'resource':
        return 'text' in block.resource ? block.resource.text : say('mcp.result.link', { uri: block.resource.uri });
    }
  });
  if (parts.length === 0 && structuredContent !== undefined) {
    parts.push(JSON.stringify(structuredContent, null, 2));
  }
  return bounded(parts.join('\n'), say);
}

function bounded(whole: string, say: Say): KeptOutput {
  const output = new OutputBuffer(MAX_OUTPUT_BYTES);
  const stream = output.stream();
  stream.write(Buffer.from(whole));
  stream.end();
  return output.read(say);
}

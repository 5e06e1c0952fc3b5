import { text, type Text } from '../../core/messages.ts';
import { plainText } from '../../core/plainText.ts';
import type { Json } from './json.ts';
import { lookUp } from './lookUp.ts';
import type { TemplateContext } from './results.ts';

/**
 * The template language, all of it: `{{path}}` stands for a value, `{{path?}}` for the same or for nothing where there is none yet, and `{{{{` for
 * two braces. A path is `inputs.NAME`, `nodes.KEY.FIELD`, `item` or `index`, with `.member` or `.0` behind it where the value has such parts.
 * There is no code, no operator and no other form.
 */
export type TemplatePart = string | Reference;

export interface Reference {
  /** e.g. `['nodes', 'build', 'output']` */
  readonly path: readonly string[];
  /** Whether nothing stands in for a value that is not there. */
  readonly optional: boolean;
}

/** What came of a template: a value, or why there is none. */
export type Resolved<Value extends Json = Json> = { readonly value: Value } | { readonly problem: Text };

/** One step through a template: two pairs of braces, a reference, or one that is not closed. */
const TOKEN = /\{\{\{\{|\{\{([^{}]*)\}\}|\{\{/g;

const REFERENCE = /^\s*((?:inputs|nodes|item|index)(?:\.[A-Za-z0-9_][A-Za-z0-9_-]*)*)(\?)?\s*$/;

/** @returns its parts, and what is wrong with it: everything, not only the first. */
export function parseTemplate(template: string): {
  readonly parts: readonly TemplatePart[];
  readonly problems: readonly Text[];
} {
  const parts: TemplatePart[] = [];
  const problems: Text[] = [];
  let end = 0;
  for (const match of template.matchAll(TOKEN)) {
    parts.push(template.slice(end, match.index));
    end = match.index + match[0].length;
    const [token, inside] = match;
    if (token === '{{{{') {
      parts.push('{{');
    } else if (inside === undefined) {
      problems.push(text('pipelineFile.template.open', { open: '{{' }));
    } else {
      const [, path, optional] = REFERENCE.exec(inside) ?? [];
      if (path === undefined) {
        problems.push(text('pipelineFile.template.form', { written: plainText(inside), open: '{{' }));
      } else {
        parts.push({ path: path.split('.'), optional: optional !== undefined });
      }
    }
  }
  parts.push(template.slice(end));
  return { parts: parts.filter((part) => part !== ''), problems };
}

/** As it would be written. */
export function referenceText({ path }: Reference): string {
  return path.join('.');
}

/** The reference that a template is, when it is nothing else. */
export function onlyReference(parts: readonly TemplatePart[]): Reference | undefined {
  const [part, ...more] = parts;
  return typeof part === 'object' && more.length === 0 ? part : undefined;
}

/** Fills in all texts inside a value; keys stay as they are. A text that is nothing but one reference becomes what that stands for. */
export function resolve(value: Json, context: TemplateContext): Resolved {
  if (typeof value === 'string') {
    return resolveText(value, context);
  }
  if (typeof value !== 'object' || value === null) {
    return { value };
  }
  const entries = new Map<string, Json>();
  for (const [key, member] of Object.entries(value)) {
    const resolved = resolve(member, context);
    if ('problem' in resolved) {
      return resolved;
    }
    entries.set(key, resolved.value);
  }
  return { value: Array.isArray(value) ? [...entries.values()] : Object.fromEntries(entries) };
}

/** Fills in a template that must become a text, such as a prompt: numbers as digits, lists and objects as JSON. */
export function resolveToText(template: string, context: TemplateContext): Resolved<string> {
  const { parts, problems } = parseTemplate(template);
  return problems[0] === undefined ? joined(parts, context) : { problem: problems[0] };
}

function resolveText(template: string, context: TemplateContext): Resolved {
  const { parts, problems } = parseTemplate(template);
  const only = onlyReference(parts);
  if (only === undefined || problems.length > 0) {
    return problems[0] === undefined ? joined(parts, context) : { problem: problems[0] };
  }
  const found = lookUp(only.path, context);
  return 'missing' in found ? (only.optional ? { value: null } : { problem: found.missing }) : found;
}

function joined(parts: readonly TemplatePart[], context: TemplateContext): Resolved<string> {
  const texts: string[] = [];
  for (const part of parts) {
    const resolved = typeof part === 'string' ? { value: part } : referredText(part, context);
    if ('problem' in resolved) {
      return resolved;
    }
    texts.push(resolved.value);
  }
  return { value: texts.join('') };
}

function referredText(reference: Reference, context: TemplateContext): Resolved<string> {
  const found = lookUp(reference.path, context);
  if ('problem' in found) {
    return found;
  }
  const value = 'missing' in found ? null : found.value;
  if (value === null) {
    const problem =
      'missing' in found ? found.missing : text('pipelineFile.template.null', { reference: referenceText(reference) });
    return reference.optional ? { value: '' } : { problem };
  }
  return { value: typeof value === 'string' ? value : JSON.stringify(value) };
}

import type { PermissionEffect, PermissionRules } from '../decisions/permissions.ts';
import type { JournalLocation } from '../journal/sqlite/marker.ts';
import { MAX_TIMEOUT_SECONDS } from '../tools/shell/input.ts';

/*
 * Settings as a person wrote them, and so of any shape: VS Code only underlines what does not fit its schema. What cannot be used
 * never throws and never loosens anything.
 */

const DEFAULT_SECONDS = 120;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A time limit in milliseconds. */
export function timeLimitMs(value: unknown): number {
  const seconds = typeof value === 'number' && Number.isFinite(value) ? value : DEFAULT_SECONDS;
  return Math.min(Math.max(seconds, 1), MAX_TIMEOUT_SECONDS) * 1000;
}

/** How long after its last renewal a claim is stale, in milliseconds. */
export function staleAfterMs(value: unknown): number {
  return within(value, 30, 86_400, 600) * 1000;
}

/** How long records are kept after their end, in milliseconds. */
export function keepMs(value: unknown): number {
  return within(value, 1, 36_500, 90) * DAY_MS;
}

/** On, unless it is clearly off: what is not settled would be waited for. */
export function onUnlessOff(value: unknown): boolean {
  return value !== false;
}

function within(value: unknown, least: number, most: number, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(Math.max(value, least), most) : otherwise;
}

/** Where the journal is to be. */
export function journalLocation(value: unknown): JournalLocation {
  return value === 'postgres' ? 'postgres' : 'embedded';
}

/** The texts of a list. */
export function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** A text without the blanks around it; null for none. */
export function textOrNull(value: unknown): string | null {
  const trimmed = typeof value === 'string' ? value.trim() : '';
  return trimmed === '' ? null : trimmed;
}

/**
 * Permission rules. An effect that the setting does not take is read as the strictest one, and so is a value that is no set of
 * rules at all: a typing error must not loosen a rule.
 */
export function rules(value: unknown, effects: readonly PermissionEffect[]): PermissionRules {
  if (value === undefined || value === null) {
    return {};
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    return { '*': 'deny' };
  }
  return Object.fromEntries(
    Object.entries(value).map(([pattern, effect]) => [pattern, effects.find((known) => known === effect) ?? 'deny']),
  );
}

import type { Scope } from './scope.ts';
import type { Evidence, StopCause } from './evidence.ts';

/** A tool is named by its server and its own raw name; the two are never joined into one key (M1). */
export interface ToolIdentity {
  readonly server: string;
  readonly name: string;
}

/** For people: `server.tool`. */
export function toolLabel(tool: ToolIdentity): string {
  return `${tool.server}.${tool.name}`;
}

/** What the body saw when it returned. Classification turns it into an outcome (DESIGN 4); the body never names an outcome. */
export type Observation =
  | { readonly kind: 'returned' }
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'stopped'; readonly cause: StopCause }
  /** No answer can come any more: the connection to the tool was lost. What was lost together has one cause (M11). */
  | { readonly kind: 'lost'; readonly causeId: string }
  /** The tool answered that it failed: `isError`, `success:false`, a malformed or schema-invalid result. */
  | { readonly kind: 'error_result' };

/** What goes back to the agent. The text is never stored (P10). */
export interface ToolResult {
  readonly text: string;
  /** What came out of the tool, where the text has more in it than that: how it ended, notes. Never stored either. */
  readonly output?: string;
  readonly observed: Observation;
}

/** What a body knows of the call it runs in. */
export interface ToolCall {
  /** The scope the call runs in. */
  readonly scope: Scope;
  /** The row of this attempt; null for a read, which has none. */
  readonly actionId: string | null;
  /** Aborted when the agent cancels or Holdfast stops; `reason` is a {@link StopCause}. */
  readonly signal: AbortSignal;
  /** Says that from here on an effect may leave our hands. Call it immediately *before* the request is sent or the process spawned. */
  boundaryCrossed(): void;
  /** Puts a note on the action, durably with its outcome at the latest. A note that comes after the end is added to the ended action. */
  evidence(note: Evidence): void;
  /**
   * Puts a note on the action that is of use if this process dies now. It is durable when the promise resolves, which never rejects: what
   * cannot be written now is written with the outcome.
   */
  keep(note: Evidence): Promise<void>;
  /** Shows that something is happening. Not stored. */
  progress(message: string): void;
  /**
   * Answers the caller now, although the body runs on: its action stays open until it ends, and its real end is recorded. From here on the
   * caller cannot cancel the call; Holdfast can stop it. Ignored by a read, and once the body was told to stop: its end is the answer then.
   * @param text what the agent is told. Its outcome is not known yet, and the text must not say otherwise (P9).
   */
  answerEarly(text: string): void;
  /**
   * An error that says this very call did nothing. Throw it. Only the object made here, for this call, is believed (G3, G4).
   * @param message a sentence for the agent: why, and what to do.
   */
  refusal(message: string, options?: ErrorOptions): Error;
}

/** The outcome of validating what an agent sent. */
export type Validated<Input> =
  { readonly ok: true; readonly input: Input } | { readonly ok: false; readonly problem: string };

/** A tool as the bridge sees it. */
export interface Tool<Input = unknown> {
  readonly identity: ToolIdentity;
  /** Changes when what the tool promises changes; grants and trust are bound to it. */
  readonly definitionHash: string;
  /** Declared by us or by a server that the user trusts; never guessed from a name (P7). */
  readonly readOnly: boolean;
  /**
   * Only for Holdfast's own tools that act on actions which have records of their own, such as ending one. A call is then no action
   * itself: like a read it is never journaled, gated or delayed (P2, P7).
   */
  readonly orchestrates?: true;
  /** What exactly would run, for a person who has to decide on it. Never stored. */
  describe(input: Input): string;
  /**
   * What permission rules can name of a call, word by word, e.g. `['git', 'push', 'origin']`. Undefined where nobody can know it before
   * the call runs: then only rules for the whole tool count. Never guessed (P7), so a command line for a shell has none.
   */
  ruleSubject?(input: Input): readonly string[] | undefined;
  /** Checks raw input. A problem is a sentence that says what to send instead. */
  validate(raw: unknown): Validated<Input>;
  /**
   * What can be refused before anything is written: syntax, a folder outside the workspace, a missing shell.
   * @returns a sentence for the agent, or undefined when the call may go on.
   */
  preflight?(input: Input, signal: AbortSignal): Promise<string | undefined>;
  run(input: Input, call: ToolCall): Promise<ToolResult>;
}

/** What came of looking for a tool; a problem is a sentence that says why nobody can know whether there is such a tool. */
export type Found<Known extends Tool = Tool> = Known | undefined | { readonly problem: string };

/** Finds tools that are only known once somebody asks for them, such as those of a server that was not started yet. */
export interface ToolFinder {
  /** @param signal aborted when nobody waits any more; what is found then does not matter. */
  find(identity: ToolIdentity, signal: AbortSignal): Promise<Found>;
}

import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import type { Disposable } from '../../core/disposable.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { text } from '../../core/messages.ts';
import { identifyProcess, isAlive, type ProcessIdentity } from '../processIdentity.ts';
import { nodeFiles, type Files } from './files.ts';
import { newHolder, publishLock, readLock, removeLock } from './lockFile.ts';

/** Proof of being the one owner that may write the journal (P16). */
export interface OwnerLock {
  /** Whether the lock file still names this owner. */
  isHeld(): boolean;
  /** Lets the next owner in. Harmless when called again. */
  release(): void;
}

export interface OwnerLockOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** How long to wait for a live owner, in milliseconds: a window that reloads overlaps its old host by seconds. */
  readonly waitMs: number;
  readonly signal?: AbortSignal;
  readonly files?: Files;
}

/**
 * Becomes the journal's single owner: at once when nobody is, or when the owner died; after waiting when a live one goes in time.
 *
 * @throws HoldfastError `journal_in_use` when the owner stays; the signal's reason when it is aborted.
 */
export async function acquireOwnerLock(folder: string, options: OwnerLockOptions): Promise<OwnerLock> {
  const { clock, log, files = nodeFiles } = options;
  const path = join(folder, 'journal.lock');
  const self = await identifySelf();
  const onFallback = (): void => {
    log.warn('owner lock without link', { folder });
  };
  const deadline = clock.monotonic() + options.waitMs;
  for (;;) {
    const attempt = await tryAcquire({ self, files, onFallback }, path, 0);
    if (attempt.kind === 'acquired') {
      log.trace('owner lock acquired', { pid: self.pid });
      return attempt.lock;
    }
    const left = deadline - clock.monotonic();
    if (left <= 0) {
      throw inUse(path, attempt.pid);
    }
    log.trace('owner lock waits', { holder: attempt.pid, left });
    await nextLook(clock, Math.min(POLL_MS, left), options.signal);
  }
}

interface Context {
  readonly self: ProcessIdentity;
  readonly files: Files;
  readonly onFallback: () => void;
}

type Attempt =
  | { readonly kind: 'acquired'; readonly lock: OwnerLock }
  /** `pid` is null where the lock cannot be read. */
  | { readonly kind: 'busy'; readonly pid: number | null };

/**
 * One holding, told by its nonce X, may be removed by its own holder or by the holder of its *gate*, the lock `<path>.X`.
 * Nobody else may, so between a gate holder's look and its unlink nothing can come in between: the dead cannot act, and the
 * name X never comes again. A gate is a lock like any other and is stolen from its dead the same way.
 */
async function tryAcquire(context: Context, path: string, depth: number): Promise<Attempt> {
  const { files } = context;
  const mine = newHolder(context.self);
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    if (publishLock(path, mine, files, context.onFallback)) {
      return { kind: 'acquired', lock: held(path, mine.nonce, files) };
    }
    const content = readLock(path, files);
    if (content.kind === 'free') {
      continue;
    }
    if (content.kind === 'unreadable') {
      return { kind: 'busy', pid: null };
    }
    const { holder } = content;
    if (depth >= DEEPEST_GATE || (await isAlive(holder))) {
      return { kind: 'busy', pid: holder.pid };
    }
    const gate = await tryAcquire(context, `${path}.${holder.nonce}`, depth + 1);
    if (gate.kind === 'busy') {
      return gate;
    }
    try {
      removeLock(path, holder.nonce, files);
    } finally {
      gate.lock.release();
    }
  }
  return { kind: 'busy', pid: null };
}

function held(path: string, nonce: string, files: Files): OwnerLock {
  return {
    isHeld() {
      const content = readLock(path, files);
      return content.kind === 'held' && content.holder.nonce === nonce;
    },
    release() {
      removeLock(path, nonce, files);
    },
  };
}

async function identifySelf(): Promise<ProcessIdentity> {
  const self = await identifyProcess(process.pid);
  return self ?? { pid: process.pid, startTime: null, bootId: null, pidNamespace: null, machineId: null };
}

/** Waits, and lets go of the timer whichever way the wait ends. */
async function nextLook(clock: Clock, waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve } = withResolver();
  const timer: Disposable = clock.timer(waitMs, resolve);
  signal?.addEventListener('abort', resolve, { once: true });
  try {
    await promise;
  } finally {
    timer.dispose();
    signal?.removeEventListener('abort', resolve);
  }
  signal?.throwIfAborted();
}

function withResolver(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function inUse(lock: string, pid: number | null): HoldfastError {
  const why = pid === null ? text('journal.maybeInUse', { lock }) : text('journal.inUse', { pid, lock });
  return new HoldfastError('journal_in_use', why);
}

const POLL_MS = 100;
/** How often somebody may come first before we step back and wait. */
const MOST_TURNS = 20;
const DEEPEST_GATE = 8;

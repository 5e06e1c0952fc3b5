import { codeOf, identityOf } from '../core/errors.ts';
import { pointInTime, type Say } from '../core/messages.ts';
import type { GateFigures } from '../decisions/gateWaits.ts';
import type { ReviewFigures } from '../decisions/reviewFigures.ts';
import type { DutyDiagnostics, SchedulerDiagnostics } from '../deadlines/diagnostics.ts';
import type { Claim, JournalSummary } from '../journal/journal.ts';
import { unresolvedInAll } from '../journal/summary.ts';

/** The state of one window's Holdfast. Nothing in it is what was sent or returned (P10). */
export interface Diagnostics {
  readonly at: number;
  readonly versions: Readonly<Record<'holdfast' | 'editor' | 'node' | 'platform', string>>;
  /** Where the window runs, e.g. `ssh-remote`; null: beside its screen. */
  readonly remote: string | null;
  readonly paused: boolean;
  readonly journal: JournalState;
  readonly scheduler: SchedulerDiagnostics | null;
  readonly gate: GateFigures;
}

export type JournalState =
  | {
      readonly kind: 'open';
      readonly location: 'embedded' | 'postgres';
      readonly schema: number;
      /** On this machine: the folder. */
      readonly folder: string | null;
      readonly disconnected: boolean;
      readonly summary: JournalSummary;
      readonly openDecisions: number;
      /** The one that falls due first. */
      readonly claim: Claim | null;
      readonly reviews: ReviewFigures;
    }
  | { readonly kind: 'unavailable'; readonly code: string };

/** *Show Diagnostics*: a line for each fact. */
export function diagnosticsText(diagnostics: Diagnostics, say: Say): string {
  const { at, versions, remote, paused, journal, scheduler, gate } = diagnostics;
  const { holdfast, editor, node, platform } = versions;
  const parts = [
    [
      say('diagnostics.title', { time: new Date(at).toISOString() }),
      say('diagnostics.versions', { holdfast, editor, node, platform }),
      say('diagnostics.remote', { remote: remote ?? '–' }),
      say(paused ? 'diagnostics.paused' : 'diagnostics.notPaused'),
    ],
    journalLines(journal, at, say),
    scheduler === null ? [say('diagnostics.scheduler.none')] : schedulerLines(scheduler, say),
    [
      say('diagnostics.gate', { count: gate.ended, waiting: gate.waiting }),
      ...(gate.ended === 0
        ? []
        : [
            say('diagnostics.gate.times', {
              average: duration(gate.totalMs / gate.ended),
              longest: duration(gate.longestMs),
            }),
          ]),
    ],
    journal.kind === 'open' ? reviewLines(journal.reviews, say) : [],
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function journalLines(journal: JournalState, at: number, say: Say): string[] {
  if (journal.kind === 'unavailable') {
    return [say('diagnostics.journal.unavailable', { code: journal.code })];
  }
  const { location, schema, folder, disconnected, summary, openDecisions, claim } = journal;
  const unresolved = unresolvedInAll(summary);
  return [
    say('diagnostics.journal', { location, schema }),
    ...(folder === null ? [] : [say('diagnostics.journal.folder', { folder })]),
    ...(disconnected ? [say('diagnostics.journal.disconnected')] : []),
    say('diagnostics.actions', {
      running: summary.running,
      unresolved,
      sessions: summary.unresolved.length,
      decisions: openDecisions,
    }),
    claim === null
      ? say('diagnostics.claim.none')
      : say('diagnostics.claim', { renewed: duration(at - claim.renewedAt), due: duration(claim.dueInMs) }),
  ];
}

function schedulerLines({ state, awake, scans, duties }: SchedulerDiagnostics, say: Say): string[] {
  return [
    say('diagnostics.scheduler', { state }),
    awake === null
      ? say('diagnostics.scheduler.quiet')
      : say('diagnostics.scheduler.awake', {
          because: awake.because,
          duty: awake.duty ?? '–',
          due: duration(awake.inMs),
        }),
    say('diagnostics.scans', {
      causes: Object.entries(scans)
        .map(([cause, count]) => `${cause} ${count}`)
        .join(', '),
    }),
    ...duties.map((duty) => dutyLine(duty, say)),
  ];
}

/** A failure is told by the platform's own names for it: its message may quote what was sent. */
function dutyLine(
  { name, asked, pages, handledRows, failures, failedRows, lastFailure }: DutyDiagnostics,
  say: Say,
): string {
  const line = say('diagnostics.duty', { name, asked, pages, rows: handledRows, failures: failures + failedRows });
  if (lastFailure === null) {
    return line;
  }
  const { at, error } = lastFailure;
  const what = ownCode(error) ?? identityOf(error).code ?? identityOf(error).name;
  return `${line} ${say('diagnostics.duty.failed', { time: pointInTime(at, at), what })}`;
}

function ownCode(error: unknown): string | null {
  const code = codeOf(error) ?? '';
  return /^(?:journal_[a-z]+|SQLITE_[A-Z_]+)$/.test(code) ? code : null;
}

function reviewLines({ byState, medianMs, longestMs, verdicts, more }: ReviewFigures, say: Say): string[] {
  const states = Object.entries(byState).map(([state, count]) => `${state} ${count}`);
  const checked = [...verdicts.values()].reduce((sum, count) => sum + count, 0);
  const shares = [...verdicts].map(
    ([verdict, count]) => `${verdict} ${count} (${Math.round((100 * count) / checked)} %)`,
  );
  return [
    say('diagnostics.reviews', { states: states.join(', ') || '–' }),
    ...(medianMs === null || longestMs === null
      ? []
      : [say('diagnostics.reviews.time', { median: duration(medianMs), longest: duration(longestMs) })]),
    say('diagnostics.verdicts', { count: checked, shares: shares.join(', ') || '–' }),
    ...(more ? [say('diagnostics.reviews.more')] : []),
  ];
}

/** In the largest units that matter, e.g. `2 h 5 min`; below zero, what is overdue. */
export function duration(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  const sign = ms < 0 && seconds > 0 ? '-' : '';
  if (seconds < 60) {
    return `${sign}${seconds} s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    return `${sign}${minutes} min ${seconds % 60} s`;
  }
  return `${sign}${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

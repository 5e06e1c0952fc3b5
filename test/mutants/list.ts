/** Where the tests that a mutant turns red live. The slow one comes last. */
export const mutantLayers = ['unit', 'contract', 'integration', 'postgres', 'crash', 'e2e'] as const;

export type MutantLayer = (typeof mutantLayers)[number];

/** One small change of the product that a careless engineer could make, and the tests that must notice it. */
export interface Mutant {
  /** The id of the acceptance list or the promise that it breaks. Tests carry it in their titles. */
  readonly id: string;
  /** The patch, in this folder. Its first lines say what it breaks. */
  readonly patch: string;
  /** Test files by layer. Each of them must turn red by a test whose title carries the id. */
  readonly shownBy: Partial<Readonly<Record<MutantLayer, readonly string[]>>>;
  /** Ids of tests in the same file that have to go before: they play one story. */
  readonly after?: readonly string[];
}

const clockJumps = ['test/deadlines/clockJumps.test.ts'];
const background = ['test/integration/background.test.ts'];
const changeOver = ['test/editor/changeOver.test.ts'];
const contract = ['test/contract/sqlite.test.ts'];
const deadlines = ['test/deadlines/deadlineScheduler.test.ts'];
const diskFaults = ['test/journal/sqlite/diskFaults.test.ts'];
const drain = ['test/integration/drain.test.ts'];
const executionContext = ['test/bridge/executionContext.test.ts'];
const faults = ['test/integration/journalFaults.test.ts'];
const gate = ['test/integration/gate.test.ts'];
const held = ['test/deadlines/held.test.ts'];
const permissions = ['test/integration/permissions.test.ts'];
const needsReview = ['test/e2e/needsReview.test.ts'];
const mcpCalls = ['test/tools/mcp/calls.test.ts'];
const mcpDeclarations = ['test/tools/mcp/declarations.test.ts'];
const mcpFaults = ['test/tools/mcp/faults.test.ts'];
const mcpHub = ['test/integration/mcpHub.test.ts'];
const mcpTrust = ['test/editor/mcpTrust.test.ts'];
const mcpLife = ['test/tools/mcp/life.test.ts'];
const mcpServers = ['test/tools/mcp/servers.test.ts'];
const mcpTasks = ['test/tools/mcp/tasks.test.ts'];
const pipelineComparison = ['test/pipelines/definition/comparison.test.ts'];
const pipelineLoading = ['test/pipelines/definition/loadDefinition.test.ts'];
const pipelineRouting = ['test/pipelines/definition/routing.test.ts'];
const outcomes = ['test/integration/outcomes.test.ts'];
const ownerDeath = ['test/integration/ownerDeath.test.ts'];
const quietDeadlines = ['test/integration/quietDeadlines.test.ts'];
const reconciler = ['test/decisions/reconciler.test.ts'];
const redaction = ['test/editor/redaction.test.ts'];
const replays = ['test/integration/pipelines/replay.test.ts'];
const runKills = ['test/integration/pipelines/kills.test.ts'];
const runs = ['test/integration/pipelines/runs.test.ts'];
const shell = 'test/integration/shell.test.ts';
const signals = ['test/journal/signallingJournal.test.ts'];
const stop = ['test/tools/shell/stop.test.ts'];
const wayOut = ['test/journal/sqlite/wayOut.test.ts'];
const story = ['test/e2e/story.test.ts'];

export const mutants: readonly Mutant[] = [
  // The gate and the boundary.
  {
    id: 'G1',
    patch: 'G1-error-text-in-the-log.patch',
    shownBy: { integration: ['test/integration/noBodies.test.ts'] },
  },
  { id: 'G1', patch: 'G1-evidence-kept-for-later.patch', shownBy: { contract } },
  { id: 'G2', patch: 'G2-runs-without-a-record.patch', shownBy: { integration: faults } },
  {
    id: 'G2',
    patch: 'G2-name-of-the-log-not-synced.patch',
    shownBy: { integration: ['test/journal/sqlite/fileShim.test.ts'] },
  },
  {
    id: 'G3',
    patch: 'G3-refusal-told-by-its-name.patch',
    shownBy: { unit: executionContext, integration: outcomes },
  },
  { id: 'G4', patch: 'G4-refusals-of-all-calls.patch', shownBy: { unit: executionContext, integration: outcomes } },
  { id: 'G5', patch: 'G5-error-result-is-an-end.patch', shownBy: { integration: outcomes } },
  { id: 'G6', patch: 'G6-gate-by-user-only.patch', shownBy: { contract, integration: gate } },
  { id: 'G7', patch: 'G7-approval-completes.patch', shownBy: { contract, integration: gate } },
  { id: 'G8', patch: 'G8-reviews-name-too-many.patch', shownBy: { contract, integration: gate } },
  {
    id: 'G9',
    patch: 'G9-one-word-covers-what-came-later.patch',
    shownBy: { integration: ['test/integration/bulkReview.test.ts'] },
  },
  { id: 'G9', patch: 'G9-approval-covers-the-scope.patch', shownBy: { contract, integration: gate } },
  { id: 'G10', patch: 'G10-running-is-unresolved.patch', shownBy: { contract, integration: ownerDeath } },
  {
    id: 'G10',
    patch: 'G10-owner-death-unnoticed.patch',
    shownBy: { contract, integration: [...ownerDeath, 'test/journal/sqlite/opening.test.ts'] },
  },
  { id: 'G11', patch: 'G11-lost-completion-forgotten.patch', shownBy: { integration: faults } },
  {
    id: 'G11',
    patch: 'G11-completion-overwrites-an-orphan.patch',
    shownBy: { contract, integration: diskFaults },
  },
  { id: 'G12', patch: 'G12-rules-read-once.patch', shownBy: { integration: outcomes } },
  { id: 'G12', patch: 'G12-revoked-grant-still-counts.patch', shownBy: { integration: permissions } },
  { id: 'G13', patch: 'G13-unattended-work-waits.patch', shownBy: { integration: gate } },
  { id: 'G13', patch: 'G13-approval-for-the-absent-is-lost.patch', shownBy: { contract, integration: permissions } },
  { id: 'G13', patch: 'G13-unattended-request-waits.patch', shownBy: { integration: permissions } },
  { id: 'G14', patch: 'G14-cancelled-call-goes-on-waiting.patch', shownBy: { integration: gate } },
  { id: 'G15', patch: 'G15-a-prompt-for-each-call.patch', shownBy: { integration: gate } },
  { id: 'G15', patch: 'G15-alike-calls-asked-one-by-one.patch', shownBy: { integration: permissions } },
  { id: 'G15', patch: 'G15-answer-covers-unseen-calls.patch', shownBy: { integration: permissions } },
  {
    id: 'G16',
    patch: 'G16-rules-denials-stand.patch',
    shownBy: { contract, integration: [...gate, ...permissions] },
  },
  { id: 'G16', patch: 'G16-denial-cannot-be-taken-back.patch', shownBy: { contract, integration: permissions } },
  { id: 'G16', patch: 'G16-calls-behind-a-denied-review-forgotten.patch', shownBy: { integration: gate } },
  { id: 'G16', patch: 'G16-denied-call-joins-another.patch', shownBy: { integration: gate } },
  { id: 'G17', patch: 'G17-only-own-reads-are-free.patch', shownBy: { integration: gate } },
  { id: 'G17', patch: 'G17-list-tool-is-gated.patch', shownBy: { integration: [shell] } },
  { id: 'G18', patch: 'G18-body-tried-again.patch', shownBy: { integration: permissions } },
  { id: 'G19', patch: 'G19-hash-of-plain-json.patch', shownBy: { integration: outcomes } },
  { id: 'G20', patch: 'G20-deleted-while-it-runs.patch', shownBy: { contract } },
  { id: 'G20', patch: 'G20-more-than-was-told.patch', shownBy: { contract } },
  { id: 'G20', patch: 'G20-a-deletion-opens-the-gate.patch', shownBy: { contract } },
  { id: 'G20', patch: 'G20-sessions-of-others-go-too.patch', shownBy: { contract } },
  {
    id: 'G20',
    patch: 'G20-waiting-calls-count-as-denied.patch',
    shownBy: { integration: ['test/integration/removal.test.ts'] },
  },
  { id: 'G21', patch: 'G21-orphans-not-acknowledged.patch', shownBy: { contract, integration: ownerDeath } },
  { id: 'G22', patch: 'G22-judged-anew-at-the-opening.patch', shownBy: { contract } },

  // The shell.
  {
    id: 'S1',
    patch: 'S1-not-found-is-an-error.patch',
    shownBy: { integration: ['test/tools/shell/exit.test.ts', shell] },
  },
  { id: 'S2', patch: 'S2-only-the-shell-is-stopped.patch', shownBy: { integration: stop } },
  {
    id: 'S3',
    patch: 'S3-folder-checked-by-its-text.patch',
    shownBy: { integration: ['test/tools/shell/refusal.test.ts'] },
  },
  {
    id: 'S4',
    patch: 'S4-signal-reported-as-exit.patch',
    shownBy: { integration: ['test/tools/shell/exit.test.ts', shell] },
  },
  { id: 'S5', patch: 'S5-family-looked-up-after-the-kill.patch', shownBy: { integration: stop } },
  { id: 'S6', patch: 'S6-head-grows.patch', shownBy: { integration: ['test/tools/shell/output.test.ts'] } },
  { id: 'S7', patch: 'S7-stdin-is-shared.patch', shownBy: { integration: ['test/tools/shell/surroundings.test.ts'] } },
  { id: 'S8', patch: 'S8-caller-goes-on-cancelling.patch', shownBy: { unit: executionContext } },
  { id: 'S8', patch: 'S8-titles-pass.patch', shownBy: { unit: ['test/editor/terminalText.test.ts'] } },
  {
    id: 'S8',
    patch: 'S8-answer-ends-the-action.patch',
    shownBy: { integration: [...background, 'test/tools/shell/background.test.ts'] },
  },
  {
    id: 'S8',
    patch: 'S8-background-has-a-time-limit.patch',
    shownBy: { integration: ['test/tools/shell/background.test.ts'] },
  },
  { id: 'S8', patch: 'S8-stop-does-not-wait.patch', shownBy: { integration: background } },
  { id: 'S8', patch: 'S8-survivor-not-named.patch', shownBy: { integration: background } },
  { id: 'S8', patch: 'S8-status-is-a-mutation.patch', shownBy: { integration: background } },
  { id: 'S9', patch: 'S9-cancelled-is-not-executed.patch', shownBy: { integration: [shell] } },

  // Claims, deadlines and settlement.
  { id: 'C1', patch: 'C1-end-not-signalled.patch', shownBy: { contract } },
  { id: 'C2', patch: 'C2-orphans-due-at-once.patch', shownBy: { contract } },
  { id: 'C3', patch: 'C3-request-goes-on-executing.patch', shownBy: { contract } },
  {
    id: 'C4',
    patch: 'C4-ended-action-taken-for-unknown.patch',
    shownBy: { contract, integration: ['test/journal/sqlite/claims.test.ts'] },
  },
  { id: 'C5', patch: 'C5-renewal-not-looked-at.patch', shownBy: { contract } },
  { id: 'C6', patch: 'C6-settled-in-two-transactions.patch', shownBy: { contract } },
  { id: 'C9', patch: 'C9-one-page-a-pass.patch', shownBy: { contract } },
  { id: 'C10', patch: 'C10-looks-at-every-write.patch', shownBy: { integration: quietDeadlines } },
  { id: 'C11', patch: 'C11-refusals-signal.patch', shownBy: { unit: signals, contract } },
  { id: 'C12', patch: 'C12-overdue-claims-not-renewed.patch', shownBy: { contract } },
  { id: 'C12', patch: 'C12-wakes-without-renewing.patch', shownBy: { contract } },
  { id: 'C12', patch: 'C12-renews-too-late.patch', shownBy: { unit: ['test/bridge/claimRenewal.test.ts'] } },
  { id: 'C13', patch: 'C13-late-answer-taken-for-the-end.patch', shownBy: { contract } },
  { id: 'C14', patch: 'C14-expiry-told-to-nobody.patch', shownBy: { contract } },
  { id: 'C14', patch: 'C14-answer-at-the-expiry-counts.patch', shownBy: { contract } },
  {
    id: 'C14',
    patch: 'C14-unused-approval-stays.patch',
    shownBy: { integration: ['test/integration/requests.test.ts'] },
  },
  {
    id: 'C15',
    patch: 'C15-what-failed-is-not-owed.patch',
    shownBy: { unit: reconciler, integration: ['test/integration/projections.test.ts'] },
  },
  {
    id: 'C15',
    patch: 'C15-repair-left-to-chance.patch',
    shownBy: { integration: ['test/integration/projections.test.ts'] },
  },

  // The journal.
  {
    id: 'J1',
    patch: 'J1-synchronous-normal.patch',
    shownBy: { integration: ['test/journal/sqlite/groupCommit.test.ts'], crash: ['test/crash/powerLoss.test.ts'] },
  },
  { id: 'J2', patch: 'J2-any-lock-is-taken-for-its-own.patch', shownBy: { integration: diskFaults } },
  { id: 'J2', patch: 'J2-disk-error-not-told.patch', shownBy: { integration: diskFaults } },
  {
    id: 'J3',
    patch: 'J3-empty-file-is-a-new-journal.patch',
    shownBy: { integration: ['test/journal/sqlite/lostJournals.test.ts'] },
  },
  {
    id: 'J4',
    patch: 'J4-dead-lock-just-removed.patch',
    shownBy: { integration: ['test/journal/sqlite/ownerLock.test.ts'] },
  },
  {
    id: 'J6',
    patch: 'J6-own-start-taken-for-a-retry.patch',
    shownBy: { postgres: ['test/postgres/lostReplies.test.ts'] },
  },
  {
    id: 'J6',
    patch: 'J6-end-waits-for-nobody.patch',
    shownBy: { postgres: ['test/postgres/outages.test.ts'] },
  },

  // Promises of their own.
  { id: 'P3', patch: 'P3-carried-outcome-overwrites.patch', shownBy: { contract } },
  { id: 'P4', patch: 'P4-changed-over-window-starts-on.patch', shownBy: { unit: ['test/editor/usedMarker.test.ts'] } },
  { id: 'P4', patch: 'P4-records-stay-behind.patch', shownBy: { unit: changeOver } },
  { id: 'P4', patch: 'P4-setting-alone-changes-over.patch', shownBy: { unit: changeOver } },
  { id: 'P6', patch: 'P6-any-argument-answers.patch', shownBy: { unit: ['test/editor/reviewTree.test.ts'] } },
  { id: 'P9', patch: 'P9-time-limit-called-a-failure.patch', shownBy: { unit: ['test/core/messages.test.ts'] } },
  { id: 'P10', patch: 'P10-invite-quoted-by-its-error.patch', shownBy: { unit: ['test/journal/invite.test.ts'] } },
  { id: 'P11', patch: 'P11-call-id-not-passed-on.patch', shownBy: { integration: outcomes } },
  { id: 'P11', patch: 'P11-ended-start-taken-for-new.patch', shownBy: { contract } },
  { id: 'P13', patch: 'P13-retention-at-every-look.patch', shownBy: { contract } },
  { id: 'P15', patch: 'P15-another-journal-taken-for-the-same.patch', shownBy: { unit: changeOver } },
  { id: 'P15', patch: 'P15-unresolved-removed-with-age.patch', shownBy: { contract } },

  // The scheduler of deadlines.
  { id: 'C7', patch: 'C7-resume-waits-for-a-signal.patch', shownBy: { unit: held } },
  { id: 'C7', patch: 'C7-failed-pass-is-not-owed.patch', shownBy: { unit: [...deadlines, ...held] } },
  { id: 'C7', patch: 'C7-pause-overlooked-at-the-start.patch', shownBy: { integration: drain } },
  { id: 'C7', patch: 'C7-pause-keeps-no-record.patch', shownBy: { integration: drain } },
  { id: 'P10', patch: 'P10-failure-message-in-diagnostics.patch', shownBy: { unit: redaction } },
  { id: 'P10', patch: 'P10-report-keeps-names.patch', shownBy: { unit: redaction } },
  { id: 'P15', patch: 'P15-reset-without-a-loss.patch', shownBy: { integration: wayOut } },
  { id: 'J3', patch: 'J3-pages-not-verified.patch', shownBy: { integration: wayOut } },
  { id: 'P4', patch: 'P4-any-review-acknowledges.patch', shownBy: { contract } },
  { id: 'P15', patch: 'P15-stop-waits-for-a-deaf-body.patch', shownBy: { integration: drain } },
  { id: 'C8', patch: 'C8-window-starts-anew.patch', shownBy: { unit: deadlines } },
  { id: 'C9', patch: 'C9-bad-row-stops-its-duty.patch', shownBy: { unit: deadlines } },
  {
    id: 'C9',
    patch: 'C9-bad-claim-takes-its-page.patch',
    shownBy: { postgres: ['test/journal/postgres/pages.test.ts'] },
  },
  {
    id: 'P13',
    patch: 'P13-wakes-for-others.patch',
    shownBy: { postgres: ['test/journal/postgres/otherHosts.test.ts'] },
  },
  { id: 'C9', patch: 'C9-duties-in-the-order-they-came.patch', shownBy: { unit: deadlines } },
  { id: 'C10', patch: 'C10-signal-during-a-pass-lost.patch', shownBy: { unit: deadlines } },
  { id: 'C10', patch: 'C10-duty-hears-itself.patch', shownBy: { unit: deadlines } },
  { id: 'C16', patch: 'C16-sleep-unnoticed.patch', shownBy: { unit: clockJumps } },
  { id: 'C16', patch: 'C16-one-long-timer.patch', shownBy: { unit: clockJumps } },
  { id: 'C17', patch: 'C17-pass-outlives-its-scheduler.patch', shownBy: { unit: held } },
  { id: 'C17', patch: 'C17-off-is-on.patch', shownBy: { unit: held } },

  // MCP servers.
  { id: 'M1', patch: 'M1-names-joined.patch', shownBy: { integration: mcpCalls } },
  { id: 'M2', patch: 'M2-any-hint-counts.patch', shownBy: { integration: mcpDeclarations } },
  { id: 'M2', patch: 'M2-hint-without-trust.patch', shownBy: { integration: mcpDeclarations } },
  { id: 'M2', patch: 'M2-task-offer-of-anybody.patch', shownBy: { integration: mcpTasks } },
  { id: 'M3', patch: 'M3-changed-definition-trusted.patch', shownBy: { integration: mcpDeclarations } },
  { id: 'M4', patch: 'M4-attestation-with-more.patch', shownBy: { integration: mcpDeclarations } },
  { id: 'M4', patch: 'M4-attestation-of-anybody.patch', shownBy: { integration: mcpDeclarations } },
  { id: 'M5', patch: 'M5-arguments-not-checked.patch', shownBy: { integration: mcpCalls } },
  { id: 'M6', patch: 'M6-structured-content-not-missed.patch', shownBy: { integration: mcpFaults } },
  { id: 'M6', patch: 'M6-wire-error-taken-for-a-loss.patch', shownBy: { integration: mcpFaults } },
  { id: 'M6', patch: 'M6-older-stream-opened-anew.patch', shownBy: { integration: mcpFaults } },
  { id: 'M6', patch: 'M6-held-pipe-hides-a-death.patch', shownBy: { integration: mcpFaults } },
  { id: 'M7', patch: 'M7-late-answer-dropped.patch', shownBy: { integration: mcpCalls } },
  { id: 'M8', patch: 'M8-cancellation-not-recorded.patch', shownBy: { integration: mcpCalls } },
  { id: 'M9', patch: 'M9-restart-loses-the-call.patch', shownBy: { integration: mcpLife } },
  { id: 'M10', patch: 'M10-server-not-started-for-its-tool.patch', shownBy: { integration: mcpServers } },
  { id: 'M10', patch: 'M10-started-by-each-caller.patch', shownBy: { integration: mcpLife } },
  { id: 'M11', patch: 'M11-a-cause-for-each.patch', shownBy: { integration: mcpCalls } },
  { id: 'M2', patch: 'M2-nobody-asked-for-a-change.patch', shownBy: { integration: mcpHub } },
  { id: 'M3', patch: 'M3-trust-of-one-workspace.patch', shownBy: { unit: mcpTrust } },
  { id: 'M3', patch: 'M3-unreadable-trust-is-given-anew.patch', shownBy: { unit: mcpTrust } },
  { id: 'M3', patch: 'M3-switch-turned-unnoticed.patch', shownBy: { integration: mcpHub } },
  { id: 'M9', patch: 'M9-changed-settings-end-calls.patch', shownBy: { integration: mcpHub } },
  { id: 'P13', patch: 'P13-mcp-loaded-without-servers.patch', shownBy: { integration: mcpHub } },
  { id: 'M11', patch: 'M11-cause-not-kept.patch', shownBy: { integration: mcpCalls } },
  { id: 'P15', patch: 'P15-task-waited-for-unrecorded.patch', shownBy: { integration: mcpTasks } },

  // Pipelines.
  { id: 'R2', patch: 'R2-left-run-stays-running.patch', shownBy: { integration: runKills } },
  { id: 'R2', patch: 'R2-entry-after-the-work.patch', shownBy: { integration: runKills } },
  { id: 'R3', patch: 'R3-only-the-unknown-is-named.patch', shownBy: { contract, integration: replays } },
  { id: 'R4', patch: 'R4-any-answer-is-a-yes.patch', shownBy: { integration: [...replays, ...runKills] } },
  { id: 'R5', patch: 'R5-stop-not-read-again.patch', shownBy: { integration: replays } },
  { id: 'R6', patch: 'R6-review-goes-with-its-owner.patch', shownBy: { contract, integration: replays } },
  { id: 'R7', patch: 'R7-approvals-outlive-a-replay.patch', shownBy: { integration: replays } },
  { id: 'R8', patch: 'R8-any-definition-fits.patch', shownBy: { integration: replays } },
  { id: 'R9', patch: 'R9-replay-acknowledges.patch', shownBy: { contract } },
  { id: 'R10', patch: 'R10-another-journal-unnoticed.patch', shownBy: { integration: replays } },
  { id: 'R11', patch: 'R11-runs-keep-nothing.patch', shownBy: { contract } },
  { id: 'P8', patch: 'P8-definition-attends.patch', shownBy: { integration: runs } },

  // What a person sees. Each boots a window, so they come last.
  { id: 'U1', patch: 'U1-deny-approves.patch', shownBy: { e2e: story }, after: ['S2'] },
  {
    id: 'U2',
    patch: 'U2-only-live-calls-stand.patch',
    shownBy: { unit: ['test/editor/reviewRows.test.ts'], e2e: needsReview },
    after: ['U5'],
  },
  { id: 'U3', patch: 'U3-interrupted-list-not-shown.patch', shownBy: { e2e: story }, after: ['S2', 'U1'] },
  {
    id: 'U5',
    patch: 'U5-answers-elsewhere-unheard.patch',
    shownBy: { unit: reconciler, e2e: needsReview },
    after: ['U2'],
  },
  { id: 'C18', patch: 'C18-setting-not-read.patch', shownBy: { e2e: ['test/e2e/deadlines.test.ts'] } },
  { id: 'G20', patch: 'G20-leaving-the-modal-deletes.patch', shownBy: { e2e: ['test/e2e/removal.test.ts'] } },

  // What a person sees of a review, and what they found.
  { id: 'U4', patch: 'U4-findings-of-a-denial-dropped.patch', shownBy: { contract } },
  { id: 'U4', patch: 'U4-found-earlier-is-said-again.patch', shownBy: { integration: gate } },
  { id: 'U7', patch: 'U7-fillers-pass.patch', shownBy: { unit: ['test/core/plainText.test.ts'] } },
  { id: 'U8', patch: 'U8-note-without-a-name.patch', shownBy: { unit: ['test/editor/reviewHtml.test.ts'] } },
  {
    id: 'S8',
    patch: 'S8-any-number-in-the-background.patch',
    shownBy: { integration: ['test/tools/shell/background.test.ts'] },
  },
  // What a pipeline's file says, and whether a changed one fits.
  { id: 'R1', patch: 'R1-back-edge-unbounded.patch', shownBy: { unit: pipelineRouting } },
  { id: 'R1', patch: 'R1-unknown-is-a-failure.patch', shownBy: { unit: pipelineRouting } },
  { id: 'R1', patch: 'R1-cycle-accepted.patch', shownBy: { unit: pipelineLoading } },
  { id: 'R1', patch: 'R1-wrong-line.patch', shownBy: { unit: pipelineLoading } },
  { id: 'R1', patch: 'R1-first-problem-only.patch', shownBy: { unit: pipelineLoading } },
  {
    id: 'R1',
    patch: 'R1-value-is-a-template-again.patch',
    shownBy: { unit: ['test/pipelines/definition/template.test.ts'] },
  },
  { id: 'R8', patch: 'R8-new-node-before.patch', shownBy: { unit: pipelineComparison } },
  { id: 'R8', patch: 'R8-gone-node-fits.patch', shownBy: { unit: pipelineComparison } },
];

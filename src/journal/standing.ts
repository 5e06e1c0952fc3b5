/**
 * Which rows of `decisions` are a call that a person denied and did not take back: the one wording of it, for both kinds of journal. A
 * rule's denial is none of them: it holds only as long as the rule.
 */
export const STANDS = `state = 'denied' AND answered_from IS NOT NULL AND cancel_reason IS NULL`;

/** The review panels' view type, under which VS Code brings them back after a reload. */
export const REVIEW_PANEL = 'holdfast.review';

/** The review panels' view type, under which VS Code brings them back after a reload. */
export const REVIEW_PANEL = 'holdfast.review';

/** The view type of *Edit MCP Servers*. */
export const MCP_FORM = 'holdfast.mcpForm';

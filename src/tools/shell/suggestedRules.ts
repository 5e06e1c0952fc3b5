import type { PermissionRules } from '../../decisions/permissions.ts';

/**
 * Rules that suit most people, for commands that come as separate words. What is allowed only looks, whatever its further arguments are:
 * `git log` and `git diff` are not among it, because `--output` makes them write.
 */
export const suggestedRules: PermissionRules = {
  'holdfast.runCommand(git status)': 'allow',
  'holdfast.runCommand(git rev-parse)': 'allow',
  'holdfast.runCommand(git ls-files)': 'allow',
  'holdfast.runCommand(ls)': 'allow',
  'holdfast.runCommand(pwd)': 'allow',
  'holdfast.runCommand(git push)': 'ask',
  'holdfast.runCommand(git reset)': 'ask',
  'holdfast.runCommand(git clean)': 'ask',
  'holdfast.runCommand(npm publish)': 'ask',
  'holdfast.runCommand(rm)': 'ask',
};

'use strict';
const { writeFileSync } = require('node:fs');
const process = require('node:process');
const Mocha = require('mocha');

/** The spec reporter, which also writes how each test ended, and by what, to the file that HOLDFAST_RESULT_FILE names. */
module.exports = class EndingsReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const endings = [];
    const add = (test, error) => {
      const { name, code, message } = error ?? {};
      endings.push({
        title: test.fullTitle(),
        file: test.file,
        isHook: test.type === 'hook',
        error: error === null ? null : { name: String(name), code: String(code), message: String(message) },
      });
    };
    runner.on('pass', (test) => add(test, null));
    runner.on('fail', (test, error) => add(test, error ?? {}));
    runner.on('end', () => writeFileSync(process.env.HOLDFAST_RESULT_FILE, JSON.stringify(endings)));
  }
};

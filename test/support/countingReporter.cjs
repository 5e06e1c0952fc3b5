'use strict';
const { writeFileSync } = require('node:fs');
const process = require('node:process');
const Mocha = require('mocha');

/** The spec reporter, which also writes `{passed, failed, titles}` to the file that HOLDFAST_RESULT_FILE names. */
module.exports = class CountingReporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const passed = [];
    const failed = [];
    runner.on('pass', (test) => passed.push(test.fullTitle()));
    runner.on('fail', (test) => failed.push(test.fullTitle()));
    runner.on('end', () => {
      const file = process.env.HOLDFAST_RESULT_FILE;
      if (file) {
        writeFileSync(file, JSON.stringify({ passed, failed }, null, 2));
      }
    });
  }
};

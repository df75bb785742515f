/**
 * `npm run mutants`: every mutant of the chart and of the rules has to be noticed by what the model tests hold against
 * the chart: the oracle, the table of effects, the invariants, the samples. Fails where one is not, and is not known,
 * with a reason, to do the same.
 */
import { report } from './report.js'

const { text, isGood } = report((line) => console.log(line))
console.log(text)
process.exitCode = isGood ? 0 : 1

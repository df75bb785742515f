export { watch } from './watch.js'

export { demo } from './demo.js'

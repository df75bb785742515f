export type { TokenStore } from './store.js'

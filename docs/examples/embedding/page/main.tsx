import { createRoot } from 'react-dom/client'
import { Server } from './server.js'

const url = new URLSearchParams(location.search).get('url') ?? 'http://127.0.0.1:8787/mcp'
const root = document.getElementById('root')
if (root) createRoot(root).render(<Server url={url} />)

import { createConnection } from 'mcp-lifeline'

try {
  createConnection({ name: 'child', target: { command: 'npx' } })
} catch (error) {
  document.getElementById('refused').textContent = `${error.name}: ${error.message}`
}

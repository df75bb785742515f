import { expect, test } from 'vitest'
import { launch } from './chromium.js'

test('a page runs its script', async () => {
  const browser = await launch()
  try {
    const page = await browser.newPage()
    await page.setContent('<p id="told"></p><script>told.textContent = 6 * 7</script>')
    expect(await page.textContent('#told')).toBe('42')
  } finally {
    await browser.close()
  }
})

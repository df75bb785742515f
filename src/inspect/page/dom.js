// The little that is needed to write a document. Texts are always set as text: nothing that came over the wire is parsed.

const SVG = 'http://www.w3.org/2000/svg'

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id)
  if (!found) throw new Error(`there is no #${id}`)
  return found
}

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {string} [className]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, className = '', ...children) {
  const made = document.createElement(tag)
  if (className) made.className = className
  made.append(...children)
  return made
}

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Readonly<Record<string, string | number>>} [attributes]
 * @param {...Node} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value))
  made.append(...children)
  return made
}

/**
 * Writes only what differs: an unchanged text costs no layout.
 *
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text
}

/**
 * @param {Element} element
 * @param {string} name
 * @param {string} value
 */
export function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value)
}

/**
 * Fills an element anew when what it shows has changed. Told apart by what it was made of, so that what is equal stays,
 * with its scroll position and selection.
 *
 * @param {HTMLElement & { shown?: string }} element
 * @param {unknown} source
 * @param {() => readonly (Node | string)[]} make
 */
export function fill(element, source, make) {
  const shown = JSON.stringify(source) ?? ''
  if (element.shown === shown) return
  element.shown = shown
  element.replaceChildren(...make())
}

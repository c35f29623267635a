import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import vm from 'node:vm'

const tag = /<(\w+)\b[^>]*>/g
const attribute = /\s(id|href|src|srcset|rel)="([^"]*)"/g
const external = /^(https?:)?\/\//

/**
 * Fails if a link of the built site leads to no page or no heading, or if a page loads a script, style, font or image from another server.
 */
export function checkSite(folder, base) {
  const pages = new Map()
  const problems = []
  for (const file of fs.readdirSync(folder, { recursive: true }).map(String)) {
    if (file.endsWith('.html')) {
      pages.set('/' + file.replaceAll(path.sep, '/'), elements(fs.readFileSync(path.join(folder, file), 'utf8')))
    }
    if (file.endsWith('.css') && /(url\(|@import)\s*["']?(https?:)?\/\//.test(fs.readFileSync(path.join(folder, file), 'utf8'))) {
      problems.push(`${file} loads from another server`)
    }
  }
  const ids = new Map([...pages].map(([page, elements]) => [page, new Set(elements.map(({ id }) => id))]))
  let links = 0
  for (const [page, elements] of pages) {
    for (const { name, href, src, srcset } of elements) {
      if (external.test(src ?? srcset ?? (name === 'a' ? '' : href) ?? '')) {
        problems.push(`${page} loads ${src ?? srcset ?? href}`)
      }
      if (name === 'a' && href && !/^[a-z]+:/.test(href)) {
        links++
        const url = new URL(href, 'http://site' + base + page.slice(1))
        const target = decodeURI(url.pathname).replace(base, '/').replace(/\/$/, '/index.html')
        const anchor = decodeURIComponent(url.hash.slice(1))
        if (!(pages.has(target) || fs.existsSync(path.join(folder, target)))) {
          problems.push(`${page}: no page for the link ${href}`)
        } else if (anchor && !ids.get(target)?.has(anchor)) {
          problems.push(`${page}: no heading for the link ${href}`)
        }
      }
    }
  }
  if (problems.length > 0) {
    throw new Error(problems.join('\n'))
  }
  console.log(`${pages.size} pages, ${links} links within the site, none dead; nothing is loaded from another server`)
}

/** Fails if Mermaid cannot parse one of the diagrams, which are pairs of a page and a text. */
export async function checkDiagrams(diagrams) {
  const context = vm.createContext({ structuredClone })
  // Mermaid's sanitizer requires a document, and is a function without these methods where there is none.
  vm.runInContext('Function.prototype.addHook = () => {}; Function.prototype.sanitize = (text) => text', context)
  vm.runInContext(fs.readFileSync(createRequire(import.meta.url).resolve('@mermaid-js/tiny'), 'utf8'), context)
  for (const [page, text] of diagrams) {
    await context.mermaid.parse(text).catch((error) => {
      throw new Error(`${page}: ${error.message}`)
    })
  }
}

function elements(html) {
  return [...html.matchAll(tag)].map(([text, name]) => {
    const attributes = [...text.matchAll(attribute)].map(([, key, value]) => [key, value.replaceAll('&amp;', '&')])
    return { name, ...Object.fromEntries(attributes) }
  })
}

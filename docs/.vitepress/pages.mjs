import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the project, which is the source folder: README.md and other pages outside docs/ belong to the site. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')

export const repository = 'https://github.com/lockable/lockable'

export const sidebar = [
  group('Start', {
    'README.md': 'Overview',
    'docs/getting-started.md': 'Getting started',
    'docs/compatibility.md': 'Versions',
    'docs/comparison.md': 'Comparison',
  }),
  group('Lock a method', {
    'docs/annotation.md': 'The annotation',
    'docs/transactions.md': 'Locks and transactions',
    'docs/guides/pay-an-order-once.md': 'Pay an order once',
    'docs/guides/job-on-one-instance.md': 'Run a job on one instance',
    'docs/guides/reactive.md': 'Reactive methods',
    'docs/ordering.md': 'Aspect order',
    'docs/context.md': 'The request id',
    'docs/testing.md': 'Test an application',
    'docs/aot.md': 'Native images',
  }),
  group('Choose a lock', {
    'docs/api.md': 'Public types',
    'docs/guides/readers-and-writers.md': 'Readers and writers',
    'docs/guides/rate-limited-supplier.md': 'Limit concurrent calls',
    'docs/guides/leader-election.md': 'Leader election',
    'docs/guides/fenced-write.md': 'Fenced writes',
    'docs/guides/redis-or-postgresql.md': 'Redis or PostgreSQL',
    'docs/retention.md': 'Retained locks',
  }),
  group('Redis deployments', {
    'docs/redis.md': 'Servers, Cluster, services',
    'docs/replication.md': 'Replicas',
    'docs/redlock.md': 'Several masters',
  }),
  group('Other stores', {
    'docs/postgresql.md': 'PostgreSQL',
  }),
  group('Operate and observe', {
    'docs/properties.md': 'Properties',
    'docs/operations.md': 'Start, stop and health',
    'docs/actuator.md': 'Actuator',
    'docs/observability.md': 'Metrics, traces and events',
    'docs/security.md': 'Security',
  }),
  group('When something goes wrong', {
    'docs/troubleshooting.md': 'Troubleshooting',
    'README.md#guarantees': 'Guarantees',
    'README.md#limits': 'Limits',
  }),
  group('Migrate', {
    'docs/migration.md': 'From another lock',
    'docs/interoperability.md': 'Spring Integration and ShedLock',
  }),
  group('How it works and how it is tested', {
    'docs/architecture.md': 'Architecture',
    'docs/decisions.md': 'Decisions',
    'docs/reliability.md': 'Reliability under faults',
    'docs/simulation.md': 'Simulation',
    'docs/protocol/README.md': 'Models of the protocols',
    'verification/campaign/README.md': 'Campaign',
    'docs/performance.md': 'Performance',
    'verification/benchmarks/README.md': 'Benchmarks',
  }),
  group('Project', {
    'CONTRIBUTING.md': 'Contributing',
    'CHANGELOG.md': 'Changelog',
    'docs/releasing.md': 'Releasing',
  }),
]

function group(text, pages) {
  const items = Object.entries(pages).map(([page, text]) => ({ text, link: linkTo(page), page }))
  return { text, items }
}

/** The place of a page on the site: docs/annotation.md is at annotation.html, README.md is the start page. */
export function sitePage(page) {
  return page
    .replace(/^(docs|verification)\//, '')
    .replace(/README\.md$/, 'index.md')
    .toLowerCase()
}

function linkTo(target) {
  const [page, anchor] = target.split('#')
  return '/' + sitePage(page).replace(/(index)?\.md$/, '') + (anchor ? '#' + anchor : '')
}

/** Fails for a page that the sidebar lacks. */
export function checkSidebar(pages) {
  const listed = new Set(sidebar.flatMap(({ items }) => items.map(({ page }) => page)))
  const missing = pages.filter((page) => !listed.has(page))
  if (missing.length > 0) {
    throw new Error(`docs/.vitepress/pages.mjs: no task contains ${missing.join(', ')}`)
  }
}

/** Makes empty heads of table columns plain cells, which assistive technology does not announce as heads. */
export function plainCorners(md) {
  md.core.ruler.push('plain-corners', ({ tokens }) => {
    tokens.forEach((token, i) => {
      if (token.type === 'th_open' && !tokens[i + 1].content) {
        token.tag = tokens[i + 2].tag = 'td'
      }
    })
  })
}

/**
 * Relative links stay as GitHub requires them. On the site, a link to a page leads to the page's place, and a link to another file of the
 * project leads to the repository.
 */
export function relativeLinks(md) {
  md.core.ruler.push('relative-links', ({ tokens, env }) => {
    const folder = path.dirname(env.realPath ?? env.path)
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null
      if (href && !/^([a-z]+:|#|\/)/.test(href)) {
        const [target, anchor] = href.split('#')
        const file = path.resolve(folder, decodeURI(target))
        if (!fs.existsSync(file)) {
          throw new Error(`${env.realPath ?? env.path}: dead link ${href}`)
        }
        const inRoot = path.relative(root, file).replaceAll(path.sep, '/')
        const isPage = /^((docs|verification)\/.+|README|CONTRIBUTING|CHANGELOG)\.md$/.test(inRoot)
        token.attrSet('href', (isPage ? '/' + sitePage(inRoot) : `${repository}/blob/main/${inRoot}`) + (anchor ? '#' + anchor : ''))
      }
    }
  })
}

/** A Mermaid diagram is drawn in the browser. Returns a plugin that adds each diagram to the list, with its page. */
export function diagrams(list) {
  return (md) => {
    const fence = md.renderer.rules.fence
    md.renderer.rules.fence = (tokens, index, options, env, renderer) => {
      const block = fence(tokens, index, options, env, renderer)
      const { info, content } = tokens[index]
      if (info !== 'mermaid') {
        return block
      }
      list.push([env.relativePath, content])
      return `<Diagram code="${encodeURIComponent(content)}">${block}</Diagram>`
    }
  }
}

/** The anchors of GitHub. */
export function slugify(heading) {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '').replaceAll(' ', '-')
}

import type { LinkElement } from "./site-header";

const PROGRAM_LINKS = [
  { href: "/api/openapi.json", label: "OpenAPI" },
  { href: "/llms.txt", label: "llms.txt" },
  { href: "/SKILL.md", label: "SKILL.md" },
  { href: "/api/health", label: "API health" },
];

const LINK_CLASSES = "inline-flex min-h-11 items-center underline-offset-4 hover:text-ink hover:underline";

/** Files and API responses are plain links, because they are not pages. */
export function SiteFooter({ DocsLink }: { DocsLink: LinkElement }) {
  return (
    <footer className="border-t border-line">
      <nav aria-label="More" className="mx-auto flex max-w-6xl flex-wrap gap-x-6 px-4 py-4 text-soft sm:px-6">
        <DocsLink href="/docs" className={LINK_CLASSES}>
          API reference
        </DocsLink>
        {PROGRAM_LINKS.map(({ href, label }) => (
          <a key={href} href={href} className={LINK_CLASSES}>
            {label}
          </a>
        ))}
      </nav>
    </footer>
  );
}

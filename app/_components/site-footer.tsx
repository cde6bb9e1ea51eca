import Link from "next/link";

const FILES = [
  ["/api/openapi.json", "OpenAPI"],
  ["/llms.txt", "llms.txt"],
  ["/SKILL.md", "SKILL.md"],
  ["/api/health", "API health"],
] as const;

const LINK = "inline-flex min-h-11 items-center underline-offset-4 hover:text-ink hover:underline";

/** Draws the links for people and programs. Files and API responses are plain links, because they are not pages. */
export function SiteFooter() {
  return (
    <footer className="border-t border-line">
      <nav aria-label="More" className="mx-auto flex max-w-6xl flex-wrap gap-x-6 px-4 py-4 text-soft sm:px-6">
        <Link href="/docs" prefetch={false} className={LINK}>
          API reference
        </Link>
        {FILES.map(([href, label]) => (
          <a key={href} href={href} className={LINK}>
            {label}
          </a>
        ))}
      </nav>
    </footer>
  );
}

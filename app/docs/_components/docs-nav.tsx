"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { type ComponentProps, useState } from "react";
import { Chevron } from "@/app/_components/chevron";

interface Props {
  guides: { slug: string; title: string }[];
  groups: { tag: string; operations: { id: string; method: string; path: string }[] }[];
}

const LINK_CLASSES =
  "flex min-h-9 items-center rounded-lg px-2.5 py-1 text-soft hover:bg-raised hover:text-ink aria-[current=page]:bg-accent-wash aria-[current=page]:font-medium aria-[current=page]:text-accent max-lg:min-h-11";

/** Folded above the text on small screens. */
export function DocsNav({ guides, groups }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const closeContents = () => setIsOpen(false);
  return (
    <nav aria-label="Documentation" className="lg:min-h-0 lg:overflow-y-auto lg:pb-10">
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls="docs-contents"
        onClick={() => setIsOpen(!isOpen)}
        className="flex min-h-11 w-full items-center justify-between rounded-xl border border-line-strong bg-card px-4 font-medium lg:hidden"
      >
        Contents
        <Chevron className={isOpen ? "rotate-180" : ""} />
      </button>
      <div
        id="docs-contents"
        className={`${isOpen ? "mt-2 rounded-xl border border-line bg-card p-3" : "hidden"} lg:block`}
      >
        <PageLink href="/docs" className="font-semibold text-ink" onClick={closeContents}>
          Overview
        </PageLink>
        <p className="mt-4 px-2.5 text-sm font-semibold">Guides</p>
        <ul className="mt-1">
          {guides.map(({ slug, title }) => (
            <li key={slug}>
              <PageLink href={`/docs/${slug}`} prefetch={false} onClick={closeContents}>
                {title}
              </PageLink>
            </li>
          ))}
        </ul>
        <PageLink href="/docs#reference" className="mt-4 font-semibold text-ink" onClick={closeContents}>
          API reference
        </PageLink>
        {groups.map(({ tag, operations }) => (
          <div key={tag} className="mt-2">
            <p className="px-2.5 text-sm font-medium">{tag}</p>
            <ul>
              {operations.map(({ id, method, path }) => (
                <li key={id}>
                  <PageLink
                    href={`/docs#${id}`}
                    prefetch={false}
                    className="font-mono text-[0.8rem]"
                    onClick={closeContents}
                  >
                    <span className="mr-2 w-11 shrink-0 text-xs font-semibold">
                      {method === "DELETE" ? "DEL" : method}
                    </span>
                    <span className="min-w-0 break-all">{path.replace(/^\/api/, "")}</span>
                  </PageLink>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}

function PageLink({ className = "", ...link }: ComponentProps<typeof Link>) {
  const isCurrent = usePathname() === link.href;
  return <Link {...link} aria-current={isCurrent ? "page" : undefined} className={`${LINK_CLASSES} ${className}`} />;
}

"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { useState } from "react";
import { Chevron } from "@/app/_components/chevron";

interface Props {
  guides: { slug: string; title: string }[];
  groups: { tag: string; operations: { id: string; method: string; path: string }[] }[];
}

const LINK =
  "flex min-h-9 items-center rounded-lg px-2.5 py-1 text-soft hover:bg-raised hover:text-ink aria-[current=page]:bg-accent-wash aria-[current=page]:font-medium aria-[current=page]:text-accent max-lg:min-h-11";

/**
 * Lists guides and operations. The list is beside the text on wide screens, and folded above the text on small ones.
 */
export function DocsNav({ guides, groups }: Props) {
  const [open, setOpen] = useState(false);
  const path = usePathname();
  const close = () => setOpen(false);
  return (
    <nav aria-label="Documentation" className="lg:min-h-0 lg:overflow-y-auto lg:pb-10">
      <button
        type="button"
        aria-expanded={open}
        aria-controls="docs-contents"
        onClick={() => setOpen(!open)}
        className="flex min-h-11 w-full items-center justify-between rounded-xl border border-line-strong bg-card px-4 font-medium lg:hidden"
      >
        Contents
        <Chevron className={open ? "rotate-180" : ""} />
      </button>
      <div
        id="docs-contents"
        className={`${open ? "mt-2 rounded-xl border border-line bg-card p-3" : "hidden"} lg:block`}
      >
        <Link
          href="/docs"
          aria-current={path === "/docs" ? "page" : undefined}
          onClick={close}
          className={`${LINK} font-semibold text-ink`}
        >
          Overview
        </Link>
        <p className="mt-4 px-2.5 text-sm font-semibold">Guides</p>
        <ul className="mt-1">
          {guides.map(({ slug, title }) => (
            <li key={slug}>
              <Link
                href={`/docs/${slug}`}
                prefetch={false}
                aria-current={path === `/docs/${slug}` ? "page" : undefined}
                onClick={close}
                className={LINK}
              >
                {title}
              </Link>
            </li>
          ))}
        </ul>
        <Link href="/docs#reference" onClick={close} className={`mt-4 ${LINK} font-semibold text-ink`}>
          API reference
        </Link>
        {groups.map(({ tag, operations }) => (
          <div key={tag} className="mt-2">
            <p className="px-2.5 text-sm font-medium">{tag}</p>
            <ul>
              {operations.map(({ id, method, path: address }) => (
                <li key={id}>
                  <Link
                    href={`/docs#${id}`}
                    prefetch={false}
                    onClick={close}
                    className={`${LINK} font-mono text-[0.8rem]`}
                  >
                    <span className="mr-2 w-11 shrink-0 text-xs font-semibold">
                      {method === "DELETE" ? "DEL" : method}
                    </span>
                    <span className="min-w-0 break-all">{address.replace(/^\/api/, "")}</span>
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}

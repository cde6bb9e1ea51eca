import type { Metadata } from "next";
import Link from "next/link";
import { notFound } from "next/navigation";
import type { ComponentType } from "react";
import { GUIDES, type GuideSlug } from "../_content/guide-list";
import { Agent } from "../_guides/agent";
import { AnyLanguage } from "../_guides/any-language";
import { Authentication } from "../_guides/authentication";
import { Backend } from "../_guides/backend";
import { Bot } from "../_guides/bot";
import { Changelog } from "../_guides/changelog";
import { Checkout } from "../_guides/checkout";
import { Errors } from "../_guides/errors";
import { Limits } from "../_guides/limits";
import { Models } from "../_guides/models";
import { Sandbox } from "../_guides/sandbox";
import { Sdk } from "../_guides/sdk";
import { ServiceWallet } from "../_guides/service-wallet";
import { TheLoop } from "../_guides/the-loop";
import { Verifying } from "../_guides/verifying";

const BODIES: Record<GuideSlug, ComponentType> = {
  authentication: Authentication,
  "service-wallet": ServiceWallet,
  "the-loop": TheLoop,
  sdk: Sdk,
  checkout: Checkout,
  backend: Backend,
  bot: Bot,
  "any-language": AnyLanguage,
  errors: Errors,
  limits: Limits,
  sandbox: Sandbox,
  agent: Agent,
  verifying: Verifying,
  models: Models,
  changelog: Changelog,
};

interface Props {
  params: Promise<{ guide: string }>;
}

export const dynamicParams = false;

export const generateStaticParams = () => GUIDES.map(({ slug }) => ({ guide: slug }));

const find = (slug: string) => GUIDES.find((guide) => guide.slug === slug);

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const guide = find((await params).guide);
  return guide ? { title: guide.title, description: guide.lead } : {};
}

export default async function GuidePage({ params }: Props) {
  const guide = find((await params).guide);
  if (!guide) notFound();
  const Body = BODIES[guide.slug];
  const next = GUIDES[GUIDES.indexOf(guide) + 1];
  return (
    <article className="max-w-3xl">
      <h1 className="text-3xl font-semibold sm:text-4xl">{guide.title}</h1>
      <p className="mt-2 text-lg text-soft">{guide.lead}</p>
      <div className="mt-6 space-y-3">
        <Body />
      </div>
      <p className="mt-12 border-t border-line pt-5">
        <span className="text-soft">Next: </span>
        <Link
          href={next ? `/docs/${next.slug}` : "/docs#reference"}
          prefetch={false}
          className="font-medium text-accent underline underline-offset-4"
        >
          {next?.title ?? "API reference"}
        </Link>
      </p>
    </article>
  );
}

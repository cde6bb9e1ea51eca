import Link from "next/link";
import type { ComponentProps } from "react";

/** Links to a page that the router opens without loading the site anew. The page's code loads only on a click. */
export const SoftLink = (props: ComponentProps<typeof Link>) => <Link prefetch={false} {...props} />;

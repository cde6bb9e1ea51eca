import type { MetadataRoute } from "next";

/** The API answers programs, the dashboard one person; neither is for a search engine. */
export default function robots(): MetadataRoute.Robots {
  return { rules: { userAgent: "*", allow: ["/", "/api/openapi.json"], disallow: ["/api/", "/dashboard"] } };
}

import { getPortfolioContract } from "@/lib/contracts/get-portfolio";
import { bindRoute, createHandlers } from "@/lib/http/route";
import { getPortfolio } from "@/lib/services/get-portfolio";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = createHandlers(
  bindRoute(getPortfolio, getPortfolioContract),
);

import { getPortfolioContract } from "@/lib/contracts/get-portfolio";
import { route, routes } from "@/lib/http/route";
import { getPortfolio } from "@/lib/services/get-portfolio";

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = routes(route(getPortfolio, getPortfolioContract));

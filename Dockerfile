# syntax=docker/dockerfile:1
# Checked by a linter, never built: see "In a container" in docs/operations.md.
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# npm installs the workspaces too, so it needs their descriptions.
COPY packages/client/package.json packages/client/
COPY packages/command-line/package.json packages/command-line/
COPY packages/discovery/package.json packages/discovery/
COPY packages/flow-control/package.json packages/flow-control/
COPY packages/runner/package.json packages/runner/
COPY console/package.json console/prepare.ts console/
# The image has Node 24 already; development tools stay out.
RUN npm ci --omit=dev --no-audit --no-fund

# The console needs the development tools to be built, and nothing of them afterwards.
FROM node:24-bookworm-slim AS console
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages ./packages
COPY console ./console
RUN npm ci --ignore-scripts --no-audit --no-fund && npm run build:console

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8787 DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
# A package has a node_modules folder of its own where its version of a dependency differs.
COPY --from=dependencies /app/packages ./packages
COPY package.json openapi.json LICENSE ./
COPY bin ./bin
COPY migrations ./migrations
COPY packages ./packages
COPY src ./src
COPY --from=console /app/console/dist ./console/dist
RUN install -d -o node -g node -m 0700 /data
USER node
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.PORT+'/ready').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
ENTRYPOINT ["node", "bin/signalbox.mjs"]
CMD ["serve"]

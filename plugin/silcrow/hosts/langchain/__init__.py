"""LangChain: a middleware for agents made by `create_agent`."""

from silcrow.hosts.langchain.middleware import SilcrowMiddleware as SilcrowMiddleware

from ctxlab.engines.html.markdown import as_markdown as as_markdown
from ctxlab.engines.html.markdown import html_as_markdown as html_as_markdown
from ctxlab.engines.html.markdown import looks_like_html as looks_like_html

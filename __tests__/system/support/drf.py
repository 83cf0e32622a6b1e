"""Django REST framework, asked by lines of JSON: each line is a list of requests, each response a list of results.

A request names a scheme, its settings and renderers, a table of routes, and what a client sends. Its result has the version or
the error, and the links that a view would make.
"""
import json
import re
import sys
from types import ModuleType
from urllib.parse import unquote_to_bytes

import django
from django.conf import settings

settings.configure(
    ALLOWED_HOSTS=['*'],
    INSTALLED_APPS=['rest_framework'],
    LOGGING_CONFIG=None,
    REST_FRAMEWORK={
        'DEFAULT_AUTHENTICATION_CLASSES': [],
        'DEFAULT_PERMISSION_CLASSES': [],
        # In a URL, a format would choose the renderer.
        'FORMAT_SUFFIX_KWARG': None,
        'UNAUTHENTICATED_USER': None,
    },
    ROOT_URLCONF=ModuleType('no_urls'),
    SECRET_KEY='-',
    USE_I18N=False,
)
django.setup()

from django.core.handlers.wsgi import WSGIRequest  # noqa: E402
from django.urls import NoReverseMatch, Resolver404, include, re_path, resolve, set_urlconf  # noqa: E402
from rest_framework import versioning  # noqa: E402
from rest_framework.renderers import JSONRenderer  # noqa: E402
from rest_framework.response import Response  # noqa: E402
from rest_framework.reverse import reverse  # noqa: E402
from rest_framework.views import APIView  # noqa: E402


def outcome(make):
    """Returns the result of a function, or the class of its error."""
    try:
        return make()
    except Exception as error:
        return {'raised': type(error).__name__}


def link(request, asked):
    def made(by, kwargs):
        kwargs = dict(kwargs) if kwargs is not None else None
        return outcome(lambda: by(asked['name'], asked.get('args'), kwargs, request, asked.get('format')))

    kwargs = asked.get('kwargs')
    scheme = request.versioning_scheme
    return {
        'made': made(reverse, kwargs),
        'own': made(scheme.reverse, kwargs),
        # What the fallback would make if the scheme had not changed the caller's arguments.
        'plain': made(versioning.BaseVersioning.reverse.__get__(scheme), kwargs),
    }


class View(APIView):
    links = ()

    def get(self, request, *args, **kwargs):
        return Response({'version': request.version, 'links': [link(request, asked) for asked in self.links]})


def urls(routes):
    patterns = []
    for pattern, name, children in routes:
        if children is None:
            patterns.append(re_path(pattern, View.as_view(), name=name))
        elif name is None:
            patterns.append(re_path(pattern, include(urls(children))))
        else:
            patterns.append(re_path(pattern, include((urls(children), name), namespace=name)))
    return patterns


TABLES = {}
VIEWS = {}


def table(routes):
    key = json.dumps(routes)
    if key not in TABLES:
        TABLES[key] = ModuleType('urls')
        TABLES[key].urlpatterns = urls(routes)
    return TABLES[key]


def classes(asked):
    key = json.dumps([asked['scheme'], asked['settings'], asked['renderers']])
    if key not in VIEWS:
        fields = dict(asked['settings'])
        if 'hostname_regex' in fields:
            fields['hostname_regex'] = re.compile(fields['hostname_regex'])
        scheme = type('Scheme', (getattr(versioning, asked['scheme']),), fields)
        renderers = [
            type('Renderer', (JSONRenderer,), {'media_type': media_type, 'format': media_type})
            for media_type in asked['renderers']
        ]
        VIEWS[key] = {'versioning_class': scheme, 'renderer_classes': renderers}
    return VIEWS[key]


def answer(asked):
    path, _, query = asked['url'].partition('?')
    environ = {
        'REQUEST_METHOD': 'GET',
        'PATH_INFO': unquote_to_bytes(path).decode('latin1'),
        'QUERY_STRING': query,
        'SERVER_NAME': 'testserver',
        'SERVER_PORT': '80',
        'wsgi.url_scheme': 'http',
        'wsgi.input': sys.stdin.buffer,
    }
    for name, value in asked['headers'].items():
        environ['HTTP_' + name.upper()] = value
    request = WSGIRequest(environ)
    module = table(asked['routes'])
    set_urlconf(module)
    kwargs = {}
    matched = True
    try:
        request.resolver_match = resolve(request.path_info, module)
        kwargs = request.resolver_match.kwargs
    except Resolver404:
        matched = False
    response = View.as_view(**classes(asked), links=asked['links'])(request, **kwargs)
    if response.status_code == 200:
        return {'matched': matched, **response.data}
    return {'matched': matched, 'status': response.status_code, 'message': str(response.data['detail'])}


for line in sys.stdin:
    results = [outcome(lambda: answer(asked)) for asked in json.loads(line)]
    print(json.dumps(results), flush=True)

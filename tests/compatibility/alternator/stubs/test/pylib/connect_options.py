def add_host_option(parser):
    parser.addoption("--host", default="localhost")

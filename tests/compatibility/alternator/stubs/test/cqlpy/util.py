def config_value_context(*arguments):
    raise NotImplementedError("there is no CQL here")

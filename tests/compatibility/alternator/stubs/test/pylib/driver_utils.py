def safe_driver_shutdown(cluster):
    pass

"""TPC-H: data as column files, and queries of MXK compared with DuckDB's."""

"""The queries, with the values of TPC-H's reference (its section 2.4), as DuckDB obeys them: for the answers, and for
the times, over columns of integers as MXK has them."""

# q1's date is cast, so that dates are compared and not time stamps, which the difference of a date and an interval is.
QUERIES = {
    "q1": """
        SELECT l_returnflag, l_linestatus,
            sum(l_quantity) AS sum_qty,
            sum(l_extendedprice) AS sum_base_price,
            sum(l_extendedprice * (1 - l_discount)) AS sum_disc_price,
            sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) AS sum_charge,
            avg(l_quantity) AS avg_qty,
            avg(l_extendedprice) AS avg_price,
            avg(l_discount) AS avg_disc,
            count(*) AS count_order
        FROM lineitem
        WHERE l_shipdate <= CAST(DATE '1998-12-01' - INTERVAL 90 DAY AS DATE)
        GROUP BY l_returnflag, l_linestatus
        ORDER BY l_returnflag, l_linestatus
    """,
    "q3": """
        SELECT l_orderkey, sum(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate, o_shippriority
        FROM customer, orders, lineitem
        WHERE c_mktsegment = 'BUILDING'
            AND c_custkey = o_custkey
            AND l_orderkey = o_orderkey
            AND o_orderdate < DATE '1995-03-15'
            AND l_shipdate > DATE '1995-03-15'
        GROUP BY l_orderkey, o_orderdate, o_shippriority
        ORDER BY revenue DESC, o_orderdate
        LIMIT 10
    """,
    "q6": """
        SELECT sum(l_extendedprice * l_discount) AS revenue
        FROM lineitem
        WHERE l_shipdate >= DATE '1994-01-01'
            AND l_shipdate < DATE '1995-01-01'
            AND l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01
            AND l_quantity < 24
    """,
}

# What is left is scaled where all sums are there: a few rows.
MEASURED = {
    "q1": """
        WITH sums AS (
            SELECT l_returnflag, l_linestatus,
                sum(l_quantity) AS quantity,
                sum(l_extendedprice) AS price,
                sum(l_extendedprice::BIGINT * (100 - l_discount)) AS discounted,
                sum(l_extendedprice::BIGINT * (100 - l_discount) * (100 + l_tax)) AS charge,
                sum(l_discount) AS discount,
                count(*) AS number
            FROM lineitem_integers
            WHERE l_shipdate <= DATE '1998-09-02' - DATE '1970-01-01'
            GROUP BY l_returnflag, l_linestatus
        )
        SELECT chr(l_returnflag) AS l_returnflag, chr(l_linestatus) AS l_linestatus,
            quantity::DECIMAL(36, 0) * 0.01 AS sum_qty,
            price::DECIMAL(36, 0) * 0.01 AS sum_base_price,
            discounted::DECIMAL(34, 0) * 0.0001 AS sum_disc_price,
            charge::DECIMAL(32, 0) * 0.000001 AS sum_charge,
            quantity / 100 / number AS avg_qty,
            price / 100 / number AS avg_price,
            discount / 100 / number AS avg_disc,
            number AS count_order
        FROM sums
        ORDER BY l_returnflag, l_linestatus
    """,
    "q3": """
        WITH orders_of_segment AS (
            SELECT l_orderkey, sum(l_extendedprice::BIGINT * (100 - l_discount)) AS revenue, o_orderdate, o_shippriority
            FROM customer_integers, orders_integers, lineitem_integers
            WHERE c_mktsegment = 1
                AND c_custkey = o_custkey
                AND l_orderkey = o_orderkey
                AND o_orderdate < DATE '1995-03-15' - DATE '1970-01-01'
                AND l_shipdate > DATE '1995-03-15' - DATE '1970-01-01'
            GROUP BY l_orderkey, o_orderdate, o_shippriority
            ORDER BY revenue DESC, o_orderdate
            LIMIT 10
        )
        SELECT l_orderkey, revenue::DECIMAL(34, 0) * 0.0001 AS revenue, DATE '1970-01-01' + o_orderdate AS o_orderdate,
            o_shippriority
        FROM orders_of_segment
        ORDER BY revenue DESC, o_orderdate
    """,
    "q6": """
        SELECT sum(l_extendedprice::BIGINT * l_discount)::DECIMAL(34, 0) * 0.0001 AS revenue
        FROM lineitem_integers
        WHERE l_shipdate >= DATE '1994-01-01' - DATE '1970-01-01'
            AND l_shipdate < DATE '1995-01-01' - DATE '1970-01-01'
            AND l_discount BETWEEN 5 AND 7
            AND l_quantity < 2400
    """,
}

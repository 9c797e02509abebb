// Three queries of TPC-H (3.0.1, section 2.4) with the values of its reference, as models of boxes: pricing summary
// (q1), shipping priority (q3), forecast of a change of revenue (q6).
//
//     q1:  Scan -> Filter -> Map -> GroupBy -.
//          Scan -> ...              GroupBy -> GroupBy -> Top
//     q6:  Scan -> Filter -> Map -> GroupBy -> GroupBy -> Top
//     q3:  customers: Scan -> Filter -> Build            the table of customers of a segment
//          orders:    Scan -> Filter -> Probe -> Build   the table of their orders
//          lineitem:  Scan -> Filter -> Probe -> Map -> GroupBy -> GroupBy -> Top
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "query/column_file.hpp"
#include "query/operators/scan.hpp"
#include "query/operators/sum.hpp"
#include "query/operators/top.hpp"
#include "query/tpch/cells.hpp"
#include "tasks/dataflow/graph/model.hpp"

namespace mxk::query::tpch {

// How a query is run.
struct Plan {
    std::size_t parts = 1;               // scans of the large tables side by side, each with boxes behind it
    std::uint32_t rows_per_envelope = 0; // 0: as many as are recommended for their size
    std::uint32_t capacity = 4;          // envelopes that may wait at an input
};

// A query over a file: its model, and its answer once it has run.
class TpchQuery {
  public:
    TpchQuery() = default;
    TpchQuery(TpchQuery const&) = delete;
    TpchQuery& operator=(TpchQuery const&) = delete;
    virtual ~TpchQuery() = default;

    [[nodiscard]] virtual dataflow::Model& model() = 0;
    // Before the model is run again.
    virtual void forget_answer() = 0;
    [[nodiscard]] virtual std::size_t rows() const = 0;
    [[nodiscard]] virtual std::size_t columns() const = 0;
    [[nodiscard]] virtual Cell cell(std::size_t row, std::size_t column) const = 0;
    // Rows of the tables that it reads.
    [[nodiscard]] virtual std::uint64_t rows_read() const = 0;
};

class PricingSummary final : public TpchQuery { // q1
  public:
    // Errors: the file has not what the query needs; the model cannot be made. The file lives as long.
    Result<void> prepare(ColumnFile const& file, Plan const& plan);

    [[nodiscard]] dataflow::Model& model() override { return model_; }
    void forget_answer() override { answer_.records.clear(); }
    [[nodiscard]] std::size_t rows() const override { return answer_.records.size(); }
    [[nodiscard]] std::size_t columns() const override { return 10; }
    [[nodiscard]] Cell cell(std::size_t row, std::size_t column) const override;
    [[nodiscard]] std::uint64_t rows_read() const override { return columns_.rows(); }

  private:
    struct Record {
        std::uint64_t key; // return flag, line status
        std::int64_t count;
        Sum quantity;
        Sum base_price;
        Sum discounted_price;
        Sum charge;
        Sum discount;
    };
    ScannedColumns columns_{0};
    Answer<Record> answer_;
    dataflow::Model model_;
};

class ShippingPriority final : public TpchQuery { // q3
  public:
    Result<void> prepare(ColumnFile const& file, Plan const& plan);

    [[nodiscard]] dataflow::Model& model() override { return model_; }
    void forget_answer() override { answer_.records.clear(); }
    [[nodiscard]] std::size_t rows() const override { return answer_.records.size(); }
    [[nodiscard]] std::size_t columns() const override { return 4; }
    [[nodiscard]] Cell cell(std::size_t row, std::size_t column) const override;
    [[nodiscard]] std::uint64_t rows_read() const override {
        return customers_.rows() + orders_.rows() + items_.rows();
    }

  private:
    struct Record {
        std::int32_t order_key;
        Sum revenue;
        std::int32_t order_date;
        std::int32_t ship_priority;
    };
    ScannedColumns customers_{0};
    ScannedColumns orders_{0};
    ScannedColumns items_{0};
    Answer<Record> answer_;
    dataflow::Model model_;
};

class RevenueChange final : public TpchQuery { // q6
  public:
    Result<void> prepare(ColumnFile const& file, Plan const& plan);

    [[nodiscard]] dataflow::Model& model() override { return model_; }
    void forget_answer() override { answer_.records.clear(); }
    // SQL's sum of no rows is NULL, of one row.
    [[nodiscard]] std::size_t rows() const override { return 1; }
    [[nodiscard]] std::size_t columns() const override { return 1; }
    [[nodiscard]] Cell cell(std::size_t row, std::size_t column) const override;
    [[nodiscard]] std::uint64_t rows_read() const override { return columns_.rows(); }

  private:
    struct Record {
        Sum revenue;
    };
    ScannedColumns columns_{0};
    Answer<Record> answer_;
    dataflow::Model model_;
};

} // namespace mxk::query::tpch

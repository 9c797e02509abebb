#include "base/linked_list.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace mxk {
namespace {

struct Element {
    int number = 0;
    ListLinks<Element> links{};
};
using List = LinkedList<Element, &Element::links>;

// Both ways; they must agree.
std::vector<int> numbers(List const& list) {
    std::vector<int> forwards;
    for (Element const* at = list.first(); at != nullptr; at = List::next(*at)) forwards.push_back(at->number);
    std::vector<int> backwards;
    for (Element const* at = list.last(); at != nullptr; at = List::previous(*at)) backwards.push_back(at->number);
    EXPECT_EQ(forwards, std::vector<int>(backwards.rbegin(), backwards.rend()));
    return forwards;
}

TEST(LinkedList, keeps_elements_where_they_were_put) {
    std::array<Element, 4> elements{Element{0}, Element{1}, Element{2}, Element{3}};
    List list;
    EXPECT_EQ(numbers(list), std::vector<int>());
    list.append(elements[1]);
    list.append(elements[3]);
    list.insert_behind(&elements[1], elements[2]);
    list.insert_behind(nullptr, elements[0]);
    EXPECT_EQ(numbers(list), (std::vector<int>{0, 1, 2, 3}));
}

TEST(LinkedList, gives_up_elements_from_anywhere) {
    for (std::size_t const gone : {0U, 1U, 2U}) {
        std::array<Element, 3> elements{Element{0}, Element{1}, Element{2}};
        List list;
        std::vector<int> left;
        for (Element& element : elements) {
            list.append(element);
            if (static_cast<std::size_t>(element.number) != gone) left.push_back(element.number);
        }
        list.remove(elements[gone]);
        EXPECT_EQ(numbers(list), left);
        list.append(elements[gone]);
        left.push_back(elements[gone].number);
        EXPECT_EQ(numbers(list), left);
        for (Element& element : elements) list.remove(element);
        EXPECT_EQ(numbers(list), std::vector<int>());
    }
}

TEST(LinkedList, gives_up_all_as_they_were) {
    std::array<Element, 2> elements{Element{0}, Element{1}};
    List list;
    for (Element& element : elements) list.append(element);
    Element const* const all = list.take_all();
    EXPECT_EQ(numbers(list), std::vector<int>());
    EXPECT_EQ(all, &elements[0]);
    EXPECT_EQ(List::next(*all), &elements[1]);
    EXPECT_EQ(list.take_all(), nullptr);
}

} // namespace
} // namespace mxk

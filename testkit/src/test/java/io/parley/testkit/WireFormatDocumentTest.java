package io.parley.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class WireFormatDocumentTest {

    @Test
    void requireClosedBlocks_allEnd_passes() {
        WireFormatDocument.requireClosedBlocks("# One\n```hex a\n00\n```\n\n## Two\n```\n01\n```\n");
    }

    @Test
    void requireClosedBlocks_theNextBeginsBefore_fails() {
        assertThatThrownBy(() -> WireFormatDocument.requireClosedBlocks("```hex a\n00\n\n```hex b\n01\n```\n"))
                .isInstanceOf(AssertionError.class)
                .hasMessage("line 4 is inside the block that starts at line 1");
    }

    @Test
    void requireClosedBlocks_aHeadingInside_fails() {
        assertThatThrownBy(() -> WireFormatDocument.requireClosedBlocks("```hex a\n00\n## Two\n```\n01\n```\n"))
                .isInstanceOf(AssertionError.class)
                .hasMessage("line 3 is inside the block that starts at line 1");
    }

    @Test
    void requireClosedBlocks_noEndAtAll_fails() {
        assertThatThrownBy(() -> WireFormatDocument.requireClosedBlocks("text\n```hex a\n00\n"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("line of the block that does not end");
    }
}

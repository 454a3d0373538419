package io.parley.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class DiscoveryQueryTest {

    @Test
    void with_ofTheSameAttribute_replacesThePattern_andOfAnotherOneIsRejected() {
        DiscoveryQuery named = DiscoveryQuery.any().with("Name", "rain*");
        assertThat(named.with("Name", "snow")).isEqualTo(DiscoveryQuery.any().with("Name", "snow"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> named.with("Id", "*"))
                .withMessage("attribute: Id (expected: Name, the only one that this query can require)");
    }
}

package io.parley.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The expected bytes and texts were computed by another program. */
class GroupAndPipeIdTest {
    private static final GroupId WEATHER = GroupId.ofName("weather");

    @Test
    void net_isFixed() {
        assertThat(GroupId.NET.text()).isEqualTo("obqxe3dfpeww4zlufvtxe33vob3amhso");
        assertThat(GroupId.NET.urn()).isEqualTo("urn:parley:group:obqxe3dfpeww4zlufvtxe33vob3amhso");
        assertThat(GroupId.parse("obqxe3dfpeww4zlufvtxe33vob3amhso")).isEqualTo(GroupId.NET);
    }

    @Test
    void text_ofCountingBytes_isKnown() {
        byte[] counting = new byte[32];
        for (int i = 0; i < counting.length; i++) {
            counting[i] = (byte) i;
        }
        assertThat(GroupId.ofBytes(Arrays.copyOf(counting, 16)).text()).isEqualTo("aaaqeayeaudaocajbifqydiob6rm6myb");
        assertThat(PipeId.ofBytes(counting).text())
                .isEqualTo("aaaqeayeaudaocajbifqydiob4ibceqtcqkrmfyydenbwha5dypstrnt");
    }

    @Test
    void named_isKnown() {
        assertThat(HexFormat.of().formatHex(WEATHER.toByteArray())).isEqualTo("950852843a97c631eb018fd1d3dff461");
        PipeId pipe = PipeId.ofName(WEATHER, "forecast");
        assertThat(HexFormat.of().formatHex(pipe.toByteArray()))
                .isEqualTo("950852843a97c631eb018fd1d3dff461e7fb3bf5570304b278400b59f4eb7e11");
        assertThat(pipe.urn()).isEqualTo("urn:parley:pipe:sueffbb2s7ddd2ybr7i5hx7umht7wo7vk4bqjmtyiafvt5hlpyi3tgaa");
        assertThat(pipe.group()).isEqualTo(WEATHER);
    }

    @Test
    void named_otherNameOrGroup_isOther() {
        PipeId pipe = PipeId.ofName(WEATHER, "forecast");
        assertThat(PipeId.ofName(WEATHER, "Forecast")).isNotEqualTo(pipe);
        assertThat(PipeId.ofName(WEATHER, "forecast ")).isNotEqualTo(pipe);
        byte[] elsewhere = PipeId.ofName(GroupId.NET, "forecast").toByteArray();
        assertThat(HexFormat.of().formatHex(elsewhere, 16, 32))
                .isNotEqualTo(HexFormat.of().formatHex(pipe.toByteArray(), 16, 32));
    }

    @Test
    void named_composedAndDecomposedUmlaut_areOne() {
        assertThat(GroupId.ofName("Grüße")).isEqualTo(GroupId.ofName("Gru\u0308ße"));
    }

    @Test
    void named_emptyOrMalformed_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GroupId.ofName(""))
                .withMessageContaining("name: empty");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PipeId.ofName(GroupId.NET, "x\ud800"))
                .withMessageContaining("surrogate");
    }

    @Test
    void random_differsEachTimeAndFollowsItsSource() {
        assertThat(GroupId.random()).isNotEqualTo(GroupId.random());
        assertThat(PipeId.random(WEATHER)).isNotEqualTo(PipeId.random(WEATHER));
        assertThat(PipeId.random(WEATHER).group()).isEqualTo(WEATHER);
        assertThat(GroupId.random(new Random(1))).isEqualTo(GroupId.random(new Random(1)));
        assertThat(PipeId.random(WEATHER, new Random(1))).isEqualTo(PipeId.random(WEATHER, new Random(1)));
    }

    @Test
    void ofBytes_otherLength_namesBoth() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> GroupId.ofBytes(new byte[15]))
                .withMessage("bytes: 15 (expected: 16 for a group id)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PipeId.ofBytes(new byte[16]))
                .withMessage("bytes: 16 (expected: 32 for a pipe id)");
    }

    @Test
    void equals_sameBytesOfOtherKind_isFalse() {
        byte[] bytes = new byte[32];
        assertThat((Object) PeerId.ofBytes(bytes)).isNotEqualTo(PipeId.ofBytes(bytes));
        assertThat(PipeId.ofBytes(bytes)).isEqualTo(PipeId.ofBytes(bytes)).hasSameHashCodeAs(PipeId.ofBytes(bytes));
    }

    @Test
    void compareTo_pipes_standTogetherByGroup() {
        PipeId first = PipeId.ofName(GroupId.ofBytes(new byte[16]), "z");
        PipeId second = PipeId.ofName(GroupId.NET, "a");
        assertThat(first).isLessThan(second);
        assertThat(first.group()).isLessThan(second.group());
    }
}

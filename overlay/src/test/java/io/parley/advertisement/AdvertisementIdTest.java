package io.parley.advertisement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.parley.id.GroupId;
import io.parley.id.PeerId;
import io.parley.id.PipeId;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AdvertisementIdTest {
    private static final String NET_PIPE = "urn:jxta:uuid-59616261646162614E50472050325033";

    @Test
    void ourIds_inJxtasForm_areRestored() {
        Random random = new Random(41);
        for (int i = 0; i < 2000; i++) {
            byte[] bytes = new byte[32];
            random.nextBytes(bytes);
            Arrays.fill(bytes, 32 - random.nextInt(8), 32, (byte) 0);
            PeerId peer = PeerId.ofBytes(bytes);
            PipeId pipe = PipeId.ofBytes(bytes);
            GroupId group = GroupId.ofBytes(Arrays.copyOf(bytes, 16));
            assertThat(reread(AdvertisementId.of(peer)).peerId()).contains(peer);
            assertThat(reread(AdvertisementId.of(pipe)).pipeId()).contains(pipe);
            assertThat(reread(AdvertisementId.of(group)).groupId()).contains(group);
        }
    }

    @Test
    void ourIds_areOfOneKindOnly() {
        PeerId peer = TestPublishers.ALICE.peerId();
        assertThat(AdvertisementId.of(peer).pipeId()).isEmpty();
        assertThat(AdvertisementId.of(peer).groupId()).isEmpty();
        assertThat(AdvertisementId.of(GroupId.NET).peerId()).isEmpty();
    }

    @Test
    void moduleIds_followFromNames_andASpecContainsItsClass() {
        AdvertisementId calculator = AdvertisementId.ofModuleClass("calculator");
        AdvertisementId square = AdvertisementId.ofModuleSpec(calculator, "square");
        assertThat(calculator.urn()).isEqualTo("urn:jxta:uuid-40408BD8C90C03DB482041E564F0F22D05");
        assertThat(square.urn())
                .as("as docs/wire-format.md states")
                .isEqualTo("urn:jxta:uuid-40408BD8C90C03DB482041E564F0F22D35F6FB6E995C167463217E5E26BFA50406");
        assertThat(calculator).isEqualTo(AdvertisementId.ofModuleClass("calculator"));
        assertThat(calculator).isNotEqualTo(AdvertisementId.ofModuleClass("printer"));
        assertThat(square).isEqualTo(AdvertisementId.ofModuleSpec(calculator, "square"));
        assertThat(square).isNotEqualTo(AdvertisementId.ofModuleSpec(calculator, "cube"));
        assertThat(square.moduleClass()).contains(calculator);
        assertThat(reread(calculator).moduleClass()).contains(calculator);
        assertThat(square.pipeId()).isEmpty();
        assertThat(calculator.groupId()).isEmpty();
    }

    @Test
    void moduleClass_ofJxtasIds_andOfOtherIds() {
        AdvertisementId spec = new AdvertisementId("urn:jxta:uuid-DEADBEEFDEAFBABAFEEDBABE000000010306");
        AdvertisementId standardGroup = new AdvertisementId("urn:jxta:uuid-DEADBEEFDEAFBABAFEEDBABE0000000105");
        AdvertisementId zeros = new AdvertisementId("urn:jxta:uuid-AB05");
        AdvertisementId role = new AdvertisementId("urn:jxta:uuid-DEADBEEFDEAFBABAFEEDBABE000000010405");
        assertThat(spec.moduleClass()).contains(standardGroup);
        assertThat(role.moduleClass()).as("without the role").contains(standardGroup);
        assertThat(zeros.moduleClass()).contains(zeros);
        assertThat(AdvertisementId.ofModuleSpec(zeros, "square").moduleClass()).contains(zeros);
        assertThat(AdvertisementId.of(GroupId.NET).moduleClass()).isEmpty();
        assertThat(new AdvertisementId("urn:other:thing").moduleClass()).isEmpty();
        assertThatIllegalArgumentException().isThrownBy(() -> AdvertisementId.ofModuleSpec(spec, "square"));
        assertThatIllegalArgumentException().isThrownBy(() -> AdvertisementId.ofModuleSpec(role, "square"));
        assertThatIllegalArgumentException().isThrownBy(() -> AdvertisementId.ofModuleClass("\uD800"));
    }

    @Test
    void peerId_ofNothingButZeros_isRestored() {
        PeerId zeros = PeerId.ofBytes(new byte[32]);
        PipeId noPipe = PipeId.ofBytes(new byte[32]);
        GroupId noGroup = GroupId.ofBytes(new byte[16]);
        assertThat(AdvertisementId.of(noPipe).urn()).isEqualTo("urn:jxta:uuid-04");
        assertThat(AdvertisementId.of(noPipe).pipeId()).contains(noPipe);
        assertThat(AdvertisementId.of(noGroup).groupId()).contains(noGroup);
        // No peer has a key of zeros; the text without trailing zeros is the prefix of peer ids only.
        assertThat(AdvertisementId.of(zeros).peerId()).isEmpty();
    }

    @Test
    void urnOfOurs_isTheSameIdAsInJxtasForm() {
        PipeId pipe = PipeId.ofName(GroupId.NET, "chat");
        assertThat(new AdvertisementId(pipe.urn())).isEqualTo(AdvertisementId.of(pipe));
        assertThat(new AdvertisementId(" " + pipe.urn().toUpperCase(java.util.Locale.ROOT) + "\n"))
                .isEqualTo(AdvertisementId.of(pipe));
    }

    @ParameterizedTest
    @CsvSource({
        "urn:jxta:uuid-deadbeefdeafbabafeedbabe0000000805, urn:jxta:uuid-DEADBEEFDEAFBABAFEEDBABE0000000805",
        "URN:JXTA:uuid-AB0005, urn:jxta:uuid-AB05",
        "urn:jxta:uuid-59616261646162614E5047205032503302, urn:jxta:jxta-NetGroup",
        "urn:jxta:uuid-59616261646162614A7874615032503302, urn:jxta:jxta-WorldGroup",
        "urn:jxta:jxta-Null, urn:jxta:jxta-Null",
        "urn:isbn:0451450523, urn:isbn:0451450523"
    })
    void spellings_ofOneId_areOne(String spelling, String canonical) {
        assertThat(new AdvertisementId(spelling).urn()).isEqualTo(canonical);
    }

    @Test
    void jxtasNetGroup_isAGroup_andItsPipesAreOurs() {
        GroupId net = GroupId.ofBytes("YabadabaNPG P2P3".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        assertThat(AdvertisementId.of(net).urn()).isEqualTo("urn:jxta:jxta-NetGroup");
        assertThat(new AdvertisementId("urn:jxta:jxta-NetGroup").groupId()).contains(net);
        assertThat(new AdvertisementId(NET_PIPE + "00112233445566778899AABBCCDDEEFF04").pipeId())
                .map(PipeId::group)
                .contains(net);
    }

    @Test
    void jxtasPeer_andAChildGroup_areNoneOfOurs() {
        assertThat(new AdvertisementId(NET_PIPE + "00112233445566778899AABBCCDDEEFF03").peerId())
                .isEmpty();
        assertThat(new AdvertisementId(NET_PIPE + "00112233445566778899AABBCCDDEEFF02").groupId())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "chat",
                "urn:",
                "urn::x",
                "urn:jxta:",
                "urn:jxta:uuid-",
                "urn:jxta:uuid-A",
                "urn:jxta:uuid-XY",
                "urn:jxta:uuid-+1",
                "urn:a b:c",
                "urn:ä:c",
                "urn:parley:pipe:aaaa"
            })
    void invalidId_isRejected(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> new AdvertisementId(text));
    }

    @Test
    void tooLong_isRejected() {
        assertThat(new AdvertisementId("urn:x:" + "y".repeat(250)).urn()).hasSize(256);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new AdvertisementId("urn:x:" + "y".repeat(251)))
                .withMessageContaining("256");
        assertThatIllegalArgumentException().isThrownBy(() -> new AdvertisementId("urn:jxta:uuid-" + "AB".repeat(65)));
    }

    private static AdvertisementId reread(AdvertisementId id) {
        return new AdvertisementId(id.urn());
    }
}

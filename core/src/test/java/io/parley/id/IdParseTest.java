package io.parley.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.parley.id.IdFormatException.Fault;
import io.parley.testkit.TestSeed;
import java.nio.CharBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class IdParseTest {
    private static final PeerId PEER = PeerId.ofBytes(bytes(new Random(1), 32));
    private static final GroupId GROUP = GroupId.random(new Random(2));
    private static final PipeId PIPE = PipeId.random(GROUP, new Random(3));

    /** A text whose 24-bit checksum is valid for a peer and for a pipe; found by search. */
    private static final String AMBIGUOUS = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaoxtwxadu5c";

    @Test
    void parse_textOrUrnInAnyCaseWithWhiteSpace_isTheId() {
        Random random = new Random(Long.getLong(TestSeed.PROPERTY, 20261121));
        for (int i = 0; i < 1000; i++) {
            roundTrip(PeerId.ofBytes(bytes(random, 32)), PeerId::parse, 56);
            roundTrip(GroupId.random(random), GroupId::parse, 32);
            roundTrip(PipeId.random(GROUP, random), PipeId::parse, 56);
        }
    }

    private static void roundTrip(Id id, Function<CharSequence, Id> parse, int length) {
        assertThat(id.text()).hasSize(length).matches("[a-z2-7]+");
        for (String form : List.of(id.text(), id.urn())) {
            assertThat(parse.apply(form)).isEqualTo(id).hasSameHashCodeAs(id);
            assertThat(parse.apply(form.toUpperCase(Locale.ROOT))).isEqualTo(id);
            assertThat(parse.apply(CharBuffer.wrap(" \t\n" + form + "\r\n\u2003")))
                    .isEqualTo(id);
            assertThat(Id.parse(form)).isEqualTo(id);
        }
    }

    @Test
    void parse_wrongLength_namesBoth() {
        for (int length : new int[] {0, 1, 31, 33, 55, 57, 64}) {
            IdFormatException e = failure(PeerId::parse, "a".repeat(length));
            assertThat(e.fault()).isEqualTo(Fault.LENGTH);
            assertThat(e)
                    .hasMessageStartingWith(
                            "not a peer id: wrong length, " + length + " characters (expected: 56): \"");
        }
        assertThat(failure(GroupId::parse, "abc")).hasMessageContaining("3 characters (expected: 32)");
        assertThat(failure(Id::parse, "abc"))
                .hasMessage("not an id: wrong length, 3 characters (expected: 32 or 56): \"abc\"");
        assertThat(failure(Id::parse, "urn:parley:pipe:abc"))
                .hasMessageStartingWith("not a pipe id: wrong length, 3 characters (expected: 56)");
    }

    @Test
    void parse_badCharacter_namesItAndItsPosition() {
        String text = PEER.text();
        for (char bad : new char[] {'0', '1', '8', '9', '-', '=', '/', ':', '@', '[', '`', '{', ' ', 'ä', '\u212a'}) {
            for (int at = 1; at < text.length() - 1; at++) {
                String typed = text.substring(0, at) + bad + text.substring(at + 1);
                IdFormatException e = failure(PeerId::parse, typed);
                assertThat(e.fault()).isEqualTo(Fault.CHARACTER);
                assertThat(e).hasMessageContaining("' at position " + (at + 1) + " (expected: letters a-z and");
            }
        }
        assertThat(failure(PeerId::parse, "peer!")).hasMessageContaining("bad character '!' at position 5");
        assertThat(failure(PeerId::parse, "  urn:parley:peer:ab!"))
                .hasMessageContaining("bad character '!' at position 19");
        assertThat(failure(PeerId::parse, "ab\u0007")).hasMessageContaining("'\\u0007'");
        assertThat(failure(PeerId::parse, "ab\ud83d\ude00")).hasMessageContaining("'\\ud83d\\ude00' at position 3");
    }

    @Test
    void parse_wrongChecksum_namesTheFault() {
        String alphabet = "abcdefghijklmnopqrstuvwxyz234567";
        for (Id id : List.of(PEER, GROUP, PIPE)) {
            String text = id.text();
            for (int at = 0; at < text.length(); at++) {
                for (int i = 0; i < alphabet.length(); i++) {
                    char c = alphabet.charAt(i);
                    if (c != text.charAt(at)) {
                        IdFormatException e = failure(parserOf(id), text.substring(0, at) + c + text.substring(at + 1));
                        assertThat(e.fault()).isEqualTo(Fault.CHECKSUM);
                        assertThat(e).hasMessageContaining("the checksum does not match");
                    }
                }
            }
        }
        assertThat(failure(Id::parse, PEER.text().substring(1) + "a").fault()).isEqualTo(Fault.CHECKSUM);
    }

    @Test
    void parse_twoCharactersSwapped_namesTheFault() {
        String text = PEER.text();
        for (int at = 0; at + 1 < text.length(); at++) {
            if (text.charAt(at) != text.charAt(at + 1)) {
                String swapped = text.substring(0, at) + text.charAt(at + 1) + text.charAt(at) + text.substring(at + 2);
                assertThat(failure(PeerId::parse, swapped).fault()).isEqualTo(Fault.CHECKSUM);
            }
        }
    }

    @Test
    void parse_otherKind_namesBothKinds() {
        for (Id given : List.of(PEER, GROUP, PIPE)) {
            for (Id expected : List.of(PEER, GROUP, PIPE)) {
                if (given != expected) {
                    for (String form : List.of(given.text(), given.urn())) {
                        IdFormatException e = failure(parserOf(expected), form);
                        assertThat(e.fault()).isEqualTo(Fault.KIND);
                        assertThat(e)
                                .hasMessage("this is a " + kindOf(given) + " id, expected a " + kindOf(expected)
                                        + " id: \"" + form + '"');
                    }
                }
            }
        }
    }

    @Test
    void parse_peerUrnOfPipeText_namesBothKinds() {
        assertThat(failure(PeerId::parse, "urn:parley:peer:" + PIPE.text()))
                .hasMessageContaining("this is a pipe id, expected a peer id");
        assertThat(failure(Id::parse, "urn:parley:peer:" + PIPE.text()))
                .hasMessageContaining("this is a pipe id, expected a peer id");
    }

    @Test
    void parse_otherUrn_namesTheExpectedForm() {
        for (String urn : List.of(
                "urn:",
                "urn:uuid:5de81556-ebb5-477a-a0d0-07ae87dae82c",
                "urn:parley",
                "urn:parley:",
                "urn:parley:peer")) {
            IdFormatException e = failure(PipeId::parse, urn);
            assertThat(e.fault()).isEqualTo(Fault.URN);
            assertThat(e).hasMessageContaining("expected: urn:parley:pipe:...");
        }
        assertThat(failure(Id::parse, "urn:parley:planet:" + PEER.text()))
                .hasMessageContaining("unknown kind 'planet'");
    }

    @Test
    void parse_checksumFitsTwoKinds_theExpectedOneCounts() {
        assertThat(PeerId.parse(AMBIGUOUS).text()).isEqualTo(AMBIGUOUS);
        assertThat(PipeId.parse(AMBIGUOUS).text()).isEqualTo(AMBIGUOUS);
        assertThat(Id.parse("urn:parley:pipe:" + AMBIGUOUS)).isInstanceOf(PipeId.class);
    }

    @Test
    void parse_hugeOrHostileText_isQuotedShortAndPrintable() {
        IdFormatException e = failure(PeerId::parse, "a".repeat(1_000_000));
        assertThat(e.getMessage()).hasSizeLessThan(200);
        IdFormatException escape = failure(PeerId::parse, "urn:parley:\u001b[31m\nfake log line:");
        assertThat(escape.getMessage()).matches("[ -~]+");
    }

    @Test
    void hash_ofRandomIds_spreads() {
        Random random = new Random(Long.getLong(TestSeed.PROPERTY, 4));
        Set<Integer> hashes = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            hashes.add(PeerId.ofBytes(bytes(random, 32)).hashCode());
        }
        assertThat(hashes).hasSizeGreaterThan(990);
    }

    private static IdFormatException failure(Function<CharSequence, ? extends Id> parse, String text) {
        IdFormatException e = catchThrowableOfType(IdFormatException.class, () -> parse.apply(text));
        assertThat(e).as(text).isNotNull();
        return e;
    }

    private static Function<CharSequence, Id> parserOf(Id id) {
        if (id instanceof PeerId) {
            return PeerId::parse;
        }
        return id instanceof GroupId ? GroupId::parse : PipeId::parse;
    }

    private static String kindOf(Id id) {
        if (id instanceof PeerId) {
            return "peer";
        }
        return id instanceof GroupId ? "group" : "pipe";
    }

    private static byte[] bytes(Random random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}

package io.parley.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.parley.error.ErrorCode;
import io.parley.error.ParleyException;
import io.parley.id.PeerId;
import io.parley.testkit.Eventually;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdentityStoreTest {
    /** Keys from RFC 8410 section 10.3: version 1, and version 2 with the public key. */
    private static final String RFC_8410_V1 = """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
            -----END PRIVATE KEY-----
            """;

    private static final String RFC_8410_PUBLIC = "19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1";

    private static final int STARTERS = 8;

    @TempDir
    Path temp;

    @Test
    void loadOrCreate_firstAndSecondTime_isTheSamePeer() throws IOException {
        Path home = temp.resolve("a").resolve("b");
        Identity created = IdentityStore.loadOrCreate(home);
        byte[] written = Files.readAllBytes(home.resolve("identity.pem"));
        assertThat(IdentityStore.loadOrCreate(home).peerId()).isEqualTo(created.peerId());
        assertThat(IdentityStore.load(home).peerId()).isEqualTo(created.peerId());
        assertThat(IdentityStore.load(home).seed()).isEqualTo(created.seed());
        assertThat(Files.readAllBytes(home.resolve("identity.pem"))).isEqualTo(written);
        assertThat(namesIn(home)).containsExactly("identity.pem");
    }

    @Test
    void encode_isPemOfPkcs8Version2() {
        Identity identity = Identity.ofSeed(
                HexFormat.of().parseHex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"));
        assertThat(new String(IdentityPem.encode(identity), StandardCharsets.US_ASCII))
                .isEqualTo("""
                        -----BEGIN PRIVATE KEY-----
                        MFECAQEwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
                        gSEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
                        -----END PRIVATE KEY-----
                        """);
    }

    @Test
    void load_keyOfAnotherTool_isRead() throws IOException {
        assertThat(loadText(RFC_8410_V1).peerId())
                .isEqualTo(PeerId.ofBytes(HexFormat.of().parseHex(RFC_8410_PUBLIC)));
        String windows = "\r\n" + RFC_8410_V1.replace("\n", "\r\n");
        assertThat(loadText(windows).peerId()).isEqualTo(loadText(RFC_8410_V1).peerId());
    }

    @Test
    void loadOrCreate_newFileAndDirectory_areTheirOwnersAlone() throws IOException {
        assumePosix();
        Path home = temp.resolve("x").resolve("alice");
        IdentityStore.loadOrCreate(home);
        assertThat(permissions(home.resolve("identity.pem"))).isEqualTo("rw-------");
        assertThat(permissions(home)).isEqualTo("rwx------");
        assertThat(permissions(temp.resolve("x"))).isEqualTo("rwx------");
    }

    @Test
    void load_othersHaveAccess_takesItAway() throws IOException {
        assumePosix();
        PeerId peer = IdentityStore.loadOrCreate(temp).peerId();
        Path file = temp.resolve("identity.pem");
        for (String open : List.of("rw-r--r--", "rw-rw-rw-", "r-----r--", "rwxrwxrwx")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(open));
            assertThat(IdentityStore.load(temp).peerId()).isEqualTo(peer);
            assertThat(permissions(file)).isEqualTo(open.substring(0, 3) + "------");
        }
    }

    @Test
    void load_noFile_namesThePath() {
        ParleyException e = failure(() -> IdentityStore.load(temp.resolve("nowhere")));
        assertThat(e)
                .hasMessageContaining(
                        temp.resolve("nowhere").resolve("identity.pem").toString());
        assertThat(temp.resolve("nowhere")).doesNotExist();
    }

    @Test
    void load_cutShortAnywhere_isRefusedAndLeftAlone() throws IOException {
        PeerId peer = IdentityStore.loadOrCreate(temp).peerId();
        Path file = temp.resolve("identity.pem");
        byte[] whole = Files.readAllBytes(file);
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            Files.write(file, cut);
            if (length == whole.length - 1) {
                // Without the last line break the file is still valid.
                assertThat(IdentityStore.loadOrCreate(temp).peerId()).isEqualTo(peer);
            } else {
                assertRefused(file, length == 0 ? "the file is empty" : "the file does not ");
                assertThat(Files.readAllBytes(file)).isEqualTo(cut);
            }
        }
    }

    @Test
    void decode_aBitOfTheTextFlipped_isRefusedOrTheSame() {
        Identity identity = Identity.generate();
        byte[] pem = IdentityPem.encode(identity);
        int refused = 0;
        for (int bit = 0; bit < pem.length * 8; bit += 3) {
            byte[] flipped = pem.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            refused += isRefusedOrTheSame(flipped, identity) ? 1 : 0;
        }
        assertThat(refused).isGreaterThan(pem.length * 2);
    }

    @Test
    void decode_anyBitOfTheKeyInfoFlipped_isRefusedOrTheSame() {
        Identity identity = Identity.generate();
        String text = new String(IdentityPem.encode(identity), StandardCharsets.US_ASCII);
        byte[] der = Base64.getMimeDecoder().decode(text.replaceAll("-----.*-----", ""));
        int refused = 0;
        for (int bit = 0; bit < der.length * 8; bit++) {
            byte[] flipped = der.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            refused += isRefusedOrTheSame(pem(flipped), identity) ? 1 : 0;
        }
        for (int length = 0; length < der.length; length++) {
            assertThat(isRefusedOrTheSame(pem(Arrays.copyOf(der, length)), identity))
                    .isTrue();
        }
        assertThat(isRefusedOrTheSame(pem(Arrays.copyOf(der, der.length + 1)), identity))
                .isTrue();
        assertThat(refused).isGreaterThan(der.length * 7);
    }

    private static boolean isRefusedOrTheSame(byte[] pem, Identity identity) {
        try {
            assertThat(IdentityPem.decode(pem).peerId()).isEqualTo(identity.peerId());
            return false;
        } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).matches("(the|key algorithm:|private key:) .*");
            return true;
        }
    }

    @Test
    void load_otherKeys_namesTheirAlgorithm() throws Exception {
        assertRefusedKey("RSA", "key algorithm: RSA (expected: Ed25519)");
        assertRefusedKey("EC", "key algorithm: EC (expected: Ed25519)");
        assertRefusedKey("X25519", "key algorithm: 1.3.101.110 (expected: Ed25519)");
        assertRefusedKey("Ed448", "key algorithm: 1.3.101.113 (expected: Ed25519)");
    }

    private void assertRefusedKey(String algorithm, String message) throws Exception {
        Path file = temp.resolve("identity.pem");
        Files.write(file, pem(TestChains.keys(algorithm).getPrivate().getEncoded()));
        assertRefused(file, message);
    }

    @Test
    void load_otherContent_isRefused() throws IOException {
        Path file = temp.resolve("identity.pem");
        String key = "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC";
        Files.writeString(file, "not a key");
        assertRefused(file, "the file does not begin with -----BEGIN PRIVATE KEY-----");
        Files.writeString(file, "-----BEGIN ENCRYPTED PRIVATE KEY-----\n-----END ENCRYPTED PRIVATE KEY-----\n");
        assertRefused(file, "the file does not begin with -----BEGIN PRIVATE KEY-----");
        Files.writeString(file, "-----BEGIN PRIVATE KEY-----END PRIVATE KEY-----");
        assertRefused(file, "the file does not end with");
        Files.writeString(file, "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n");
        assertRefused(file, "the content is damaged");
        Files.writeString(file, "-----BEGIN PRIVATE KEY-----\n" + key + "\n" + key + "\n-----END PRIVATE KEY-----\n");
        assertRefused(file, "the content is damaged");
        Files.write(file, new byte[64 * 1024]);
        assertRefused(file, "size: more than 16384 bytes");
    }

    @Test
    void loadOrCreate_directoryInItsPlace_isRefused() throws IOException {
        Files.createDirectory(temp.resolve("identity.pem"));
        ParleyException e = failure(() -> IdentityStore.loadOrCreate(temp));
        assertThat(e)
                .hasMessageContaining(temp.resolve("identity.pem").toString())
                .hasMessageContaining("to the user that runs the peer");
    }

    @Test
    void loadOrCreate_homeIsAFile_isRefused() throws IOException {
        Path home = Files.writeString(temp.resolve("home"), "occupied");
        assertThat(failure(() -> IdentityStore.loadOrCreate(home))).hasMessageContaining(home.toString());
        assertThat(failure(() -> IdentityStore.loadOrCreate(home.resolve("deeper"))))
                .hasMessageContaining(home.toString());
        assertThat(home).hasContent("occupied");
    }

    @Test
    void loadOrCreate_danglingLink_isNotReplaced() throws IOException {
        assumePosix();
        Path link = Files.createSymbolicLink(temp.resolve("identity.pem"), temp.resolve("gone"));
        failure(() -> IdentityStore.loadOrCreate(temp));
        assertThat(link).isSymbolicLink();
        assertThat(namesIn(temp)).containsExactly("identity.pem");
    }

    @Test
    void loadOrCreate_manyThreadsAtOnce_agreeOnOnePeer() throws Exception {
        for (int round = 0; round < 20; round++) {
            Path home = temp.resolve("round" + round);
            Set<PeerId> peers = atOnce(() -> IdentityStore.loadOrCreate(home).peerId());
            assertThat(peers).as("round %d", round).hasSize(1);
            assertThat(namesIn(home)).containsExactly("identity.pem");
        }
    }

    @Test
    void moveUnderLock_manyThreadsAtOnce_firstOneStays() throws Exception {
        for (int round = 0; round < 20; round++) {
            Path home = Files.createDirectory(temp.resolve("round" + round));
            Path file = home.resolve("identity.pem");
            Set<PeerId> peers = atOnce(() -> {
                Path temporary = Files.createTempFile(home, "new", ".tmp");
                Files.write(temporary, IdentityPem.encode(Identity.generate()));
                IdentityFile.moveUnderLock(temporary, file);
                Files.deleteIfExists(temporary);
                return IdentityStore.load(home).peerId();
            });
            assertThat(peers).as("round %d", round).hasSize(1);
            assertThat(namesIn(home)).containsExactlyInAnyOrder("identity.pem", "identity.pem.lock");
        }
    }

    @Test
    void loadOrCreate_processesAtOnce_agreeOnOnePeer() throws Exception {
        Path home = temp.resolve("shared");
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        List<Process> processes = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                processes.add(new ProcessBuilder(
                                java.toString(),
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                classPath,
                                Starter.class.getName(),
                                home.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start());
            }
            Set<String> peers = new HashSet<>();
            List<BufferedReader> outputs = new ArrayList<>();
            for (Process process : processes) {
                BufferedReader output =
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
                outputs.add(output);
                assertThat(output.readLine()).isEqualTo("ready");
            }
            for (Process process : processes) {
                try (OutputStream go = process.getOutputStream()) {
                    go.write('\n');
                }
            }
            for (BufferedReader output : outputs) {
                peers.add(output.readLine());
            }
            for (Process process : processes) {
                assertThat(process.waitFor(Eventually.DEADLINE.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
                assertThat(process.exitValue()).isZero();
            }
            assertThat(peers).containsExactly(IdentityStore.load(home).peerId().text());
            assertThat(namesIn(home)).containsExactly("identity.pem");
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
    }

    /** A process that loads or creates the identity in a given home directory after it has received a line. */
    static final class Starter {
        private Starter() {}

        public static void main(String[] args) throws IOException {
            Identity.generate(); // Loads all classes, so that the processes run at the same time.
            System.out.println("ready");
            if (System.in.read() >= 0) {
                System.out.println(IdentityStore.loadOrCreate(Path.of(args[0])).peerId());
            }
        }
    }

    private static Set<PeerId> atOnce(Callable<PeerId> start) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(STARTERS);
        try {
            CyclicBarrier barrier = new CyclicBarrier(STARTERS);
            List<Future<PeerId>> futures = new ArrayList<>();
            for (int i = 0; i < STARTERS; i++) {
                futures.add(executor.submit(() -> {
                    barrier.await(Eventually.DEADLINE.toSeconds(), TimeUnit.SECONDS);
                    return start.call();
                }));
            }
            Set<PeerId> peers = new HashSet<>();
            for (Future<PeerId> future : futures) {
                peers.add(Eventually.get(future, "an identity"));
            }
            return peers;
        } finally {
            executor.shutdownNow();
        }
    }

    private Identity loadText(String pem) throws IOException {
        Files.writeString(temp.resolve("identity.pem"), pem);
        return IdentityStore.load(temp);
    }

    private void assertRefused(Path file, String fault) {
        assertThat(failure(() -> IdentityStore.loadOrCreate(temp)))
                .hasMessageContaining(file.toString())
                .hasMessageContaining(fault)
                .hasMessageContaining("restore the file from a backup, or move it away");
    }

    private static ParleyException failure(Callable<Identity> call) {
        ParleyException e = catchThrowableOfType(ParleyException.class, call::call);
        assertThat(e).isNotNull();
        assertThat(e.code()).isEqualTo(ErrorCode.IDENTITY_UNREADABLE);
        return e;
    }

    private static byte[] pem(byte[] der) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return ("-----BEGIN PRIVATE KEY-----\n" + body + "\n-----END PRIVATE KEY-----\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static List<String> namesIn(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private void assumePosix() {
        assumeTrue(temp.getFileSystem().supportedFileAttributeViews().contains("posix"), "POSIX permissions");
    }
}

package io.parley.examples.software;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** An OpenSSH server with a key of its own, which lets the user of this process in with another key, and nobody else. */
public final class SshServer implements AutoCloseable {

    /** Only root needs it. Debian creates it when the service starts. */
    private static final Path PRIVILEGE_SEPARATION = Path.of("/run/sshd");

    private static final String USER = System.getProperty("user.name");

    private final ServerProcess process;
    private final Path directory;
    private final int port;

    private SshServer(ServerProcess process, Path directory, int port) {
        this.process = process;
        this.directory = directory;
        this.port = port;
    }

    /** Starts a server with its files in a directory. */
    public static SshServer start(Path directory) throws IOException, InterruptedException {
        String sshd = Software.require("sshd");
        if ("root".equals(USER) && !Files.exists(PRIVILEGE_SEPARATION)) {
            Files.createDirectory(PRIVILEGE_SEPARATION);
        }
        createKey(directory.resolve("host_key"));
        createKey(directory.resolve("client_key"));
        int port = ServerProcess.freePort();
        Path configuration = Files.writeString(directory.resolve("sshd_config"), """
                Port %1$d
                ListenAddress 127.0.0.1
                HostKey %2$s/host_key
                AuthorizedKeysFile %2$s/client_key.pub
                PidFile none
                StrictModes no
                UsePAM no
                PasswordAuthentication no
                KbdInteractiveAuthentication no
                PermitRootLogin prohibit-password
                Subsystem sftp internal-sftp
                """.formatted(port, directory));
        ServerProcess process =
                ServerProcess.start(directory, "TERM", List.of(sshd, "-D", "-e", "-f", configuration.toString()));
        return new SshServer(process.awaitPort(port), directory, port);
    }

    private static void createKey(Path file) throws IOException, InterruptedException {
        Software.run(
                new ProcessBuilder(
                        Software.require("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", file.toString()),
                Duration.ofSeconds(60));
    }

    public int port() {
        return port;
    }

    /** Returns the user at a host, for the command line of a client. */
    public String userAt(String host) {
        return USER + "@" + host;
    }

    /**
     * Returns the command line of {@code ssh} or {@code scp} without its operands. It knows the key of this server under the name
     * "server", so the client finds out if it is connected to another one.
     */
    public List<String> client(String program, int portHere) throws IOException {
        Path known = Files.writeString(
                directory.resolve("known_hosts"), "server " + Files.readString(directory.resolve("host_key.pub")));
        List<String> line = new ArrayList<>(List.of(
                Software.require(program),
                "-F",
                "none",
                "-i",
                directory.resolve("client_key").toString(),
                "-o",
                "BatchMode=yes",
                "-o",
                "IdentitiesOnly=yes",
                "-o",
                "HostKeyAlias=server",
                "-o",
                "StrictHostKeyChecking=yes",
                "-o",
                "UserKnownHostsFile=" + known));
        line.addAll(List.of("ssh".equals(program) ? "-p" : "-P", Integer.toString(portHere)));
        return line;
    }

    @Override
    public void close() {
        process.close();
    }
}

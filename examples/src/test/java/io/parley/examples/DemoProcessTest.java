package io.parley.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The demo, which starts processes of its own. */
@Tag("process")
@Timeout(180)
class DemoProcessTest {

    @TempDir
    private Path directory;

    @Test
    void demo_verifiesAllStepsAndDeletesItsFiles() throws Exception {
        Path temporary = Files.createDirectory(directory.resolve("tmp"));
        try (ParleyProcess demo = ParleyProcess.startWith(
                directory, List.of("-Djava.io.tmpdir=" + temporary), "demo", "--quick", "--json")) {
            demo.readAll();
            demo.assertSuccess();
            assertThat(demo.text()).contains("\"verified\":true", "\"first_trip_us\":", "\"trip_us\":");
        }
        assertThat(temporary).isEmptyDirectory();
    }
}

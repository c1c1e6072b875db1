class IacMcp < Formula
  desc "MCP server for every scriptable Mac app"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    @universal-apple-darwin@
  end

  on_linux do
    on_intel do
      @x86_64-unknown-linux-gnu@
    end
    on_arm do
      @aarch64-unknown-linux-gnu@
    end
  end

  def install
    bin.install "iac-mcp"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/iac-mcp.bash" => "iac-mcp"
    zsh_completion.install "completions/_iac-mcp"
    fish_completion.install "completions/iac-mcp.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/iac-mcp --version")
  end
end

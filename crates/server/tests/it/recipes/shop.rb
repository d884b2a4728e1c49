require "json"

module Shop
  module_function

  def customer(env)
    { id: "7 ü", email: "ann@example.com" } if env["HTTP_COOKIE"] == "customer=ann"
  end

  def enqueue(id, event)
    File.write("events", "#{id} #{JSON.generate(event)}\n", mode: "a")
  end
end
